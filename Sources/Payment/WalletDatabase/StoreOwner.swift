internal import ContactlessPayment
internal import Glibc

/// The name under which one open store takes reservations, and the proof that it is still open.
///
/// Every open store holds a lock on the one octet of the owners' file whose offset is its name; the file itself stays
/// empty. The system drops the lock with the store's process, however it ends, so an octet without a lock says that the
/// store is gone. A program that this process is just starting holds a copy of the lock until it runs; its owner then
/// seems alive for a moment longer, and its reservations are spent at the next opening. The lock belongs to the open file
/// (`F_OFD_SETLK`), so that two stores of one process are two owners.
final class StoreOwner: Sendable {
  let name: Int64
  private let descriptor: Int32

  /// Takes a new name and locks it.
  init(path: String) throws(WalletStoreError) {
    // The system copies the path; nothing keeps the pointer.
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw errno == ENOSPC || errno == EDQUOT ? .full(path) : .notWritable(path)
    }
    name = Int64.random(in: 1..<Int64.max)
    var lock = Self.lock(on: name)
    guard unsafe fcntl(descriptor, Self.setLock, &lock) == 0 else {
      throw .storage("\(path) cannot be locked: the file system has no locks")
    }
  }

  deinit { close(descriptor) }

  /// Whether the store of a name is open. When in doubt it is: its reservations then stay.
  func isAlive(_ other: Int64) -> Bool {
    // A name of an older version: there was no lock, and its reservations are spent already.
    guard other > 0 else { return false }
    guard other != name else { return true }
    var lock = Self.lock(on: other)
    guard unsafe fcntl(descriptor, Self.testLock, &lock) == 0 else { return true }
    return lock.l_type != Int16(F_UNLCK)
  }

  // linux/fcntl.h; the C library shows them to GNU programs only.
  private static let testLock: Int32 = 36
  private static let setLock: Int32 = 37

  private static func lock(on offset: Int64) -> flock {
    flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: off_t(offset), l_len: 1, l_pid: 0)
  }
}

internal import ContactlessPayment
internal import Glibc

/// The identity under which one open store makes reservations, and the means to find out whether a store is still open.
///
/// Every open store holds a lock on the byte of the owners' file whose offset is its name; the file itself stays empty.
/// The system releases the lock when the store's process ends, so a byte without a lock means that the store is closed.
/// A child process that is being started holds a copy of the lock until it executes its program; during that time its
/// parent's store still counts as open, and its reservations are spent at the next opening. The lock belongs to the
/// open file (`F_OFD_SETLK`), so two stores of one process are two owners.
final class StoreOwner: Sendable {
  let name: Int64
  private let path: String
  private let descriptor: Int32

  /// Chooses a new name and locks its byte.
  ///
  /// - Throws: `WalletStoreError.notWritable`, `.full` or `.storage`.
  init(path: String) throws(WalletStoreError) {
    self.path = path
    descriptor = try Self.opened(path)
    name = Int64.random(in: 1..<Int64.max)
    var lock = Self.lock(on: name)
    guard unsafe fcntl(descriptor, Self.setLock, &lock) == 0 else { throw Self.withoutLocks(path) }
  }

  private static func opened(_ path: String) throws(WalletStoreError) -> Int32 {
    // The system copies the path; nothing keeps the pointer.
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw errno == ENOSPC || errno == EDQUOT ? .full(path) : .notWritable(path)
    }
    return descriptor
  }

  private static func withoutLocks(_ path: String) -> WalletStoreError {
    .storage("\(path) cannot be locked: its file system does not support locks")
  }

  deinit { close(descriptor) }

  /// Whether the store with a name is open. When the system cannot tell, it counts as open and keeps its reservations.
  func isAlive(_ other: Int64) -> Bool {
    // Version 1 had names without locks; the upgrade has spent their reservations.
    guard other > 0 else { return false }
    guard other != name else { return true }
    var lock = Self.lock(on: other)
    guard unsafe fcntl(descriptor, Self.testLock, &lock) == 0 else { return true }
    return lock.l_type != Int16(F_UNLCK)
  }

  /// Locks the byte before the first name: the counting lock of the store. Each lock has an open file of its own, so two
  /// wallets on one store exclude each other too.
  ///
  /// - Returns: Nil while the byte is locked.
  /// - Throws: `WalletStoreError.notWritable`, `.full` or `.storage`.
  func lockCounting() throws(WalletStoreError) -> CountingLock? {
    let descriptor = try Self.opened(path)
    var lock = Self.lock(on: 0)
    guard unsafe fcntl(descriptor, Self.setLock, &lock) == 0 else {
      let isTaken = errno == EAGAIN || errno == EACCES
      close(descriptor)
      if isTaken { return nil }
      throw Self.withoutLocks(path)
    }
    return CountingLock { close(descriptor) }
  }

  // linux/fcntl.h; the C library declares them only with _GNU_SOURCE.
  private static let testLock: Int32 = 36
  private static let setLock: Int32 = 37

  private static func lock(on offset: Int64) -> flock {
    flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: off_t(offset), l_len: 1, l_pid: 0)
  }
}

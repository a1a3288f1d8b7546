internal import ContactlessPayment
internal import Glibc
internal import POSIX

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
  private let locks: ByteLocks?

  /// Chooses a new name and locks its byte.
  ///
  /// - Throws: `WalletStoreError.notWritable`, `.full` or `.storage`.
  init(path: String) throws(WalletStoreError) {
    self.path = path
    let locks = try Self.opened(path)
    name = Int64.random(in: 1..<Int64.max)
    let isLocked = (try? locks.lock(name)) ?? false
    self.locks = consume locks
    guard isLocked else { throw Self.withoutLocks(path) }
  }

  /// The owner of a store that cannot be written: it makes no reservations, and has no name.
  init(ofReadOnly path: String) {
    self.path = path
    locks = nil
    name = 0
  }

  private static func opened(_ path: String) throws(WalletStoreError) -> ByteLocks {
    do throws(SystemError) {
      return try ByteLocks(of: path)
    } catch { throw error.number == ENOSPC || error.number == EDQUOT ? .full(path) : .notWritable(path) }
  }

  private static func withoutLocks(_ path: String) -> WalletStoreError {
    .storage("\(path) cannot be locked: its file system does not support locks")
  }

  /// Whether the store with a name is open. When the system cannot tell, it counts as open and keeps its reservations.
  func isAlive(_ other: Int64) -> Bool {
    // Version 1 had names without locks; the upgrade has spent their reservations.
    guard other > 0 else { return false }
    guard other != name else { return true }
    return locks?.isLocked(other) ?? true
  }

  /// Locks the byte before the first name: the counting lock of the store. Each lock has an open file of its own, so two
  /// wallets on one store exclude each other too.
  ///
  /// - Returns: Nil while the byte is locked.
  /// - Throws: `WalletStoreError.notWritable`, `.full` or `.storage`.
  func lockCounting() throws(WalletStoreError) -> CountingLock? {
    let lock = HeldLock(locks: try Self.opened(path))
    do throws(SystemError) {
      guard try lock.locks.lock(0) else { return nil }
    } catch { throw Self.withoutLocks(path) }
    return CountingLock { withExtendedLifetime(lock) {} }
  }
}

/// An open file whose locks last as long as its last reference.
private final class HeldLock: Sendable {
  let locks: ByteLocks

  init(locks: consuming ByteLocks) { self.locks = locks }
}

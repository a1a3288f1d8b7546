package import DeviceAuthentication
package import Octets

/// Keys whose every use comes after a check of the lock, so that a removal a moment ago already holds. When the check
/// fails, the use fails. Keys are listed and deleted without a check: a wipe must work when the lock cannot be read.
package struct GuardedKeyStore: CheckedKeyStore {
  /// The store that has the keys.
  package let base: any ProtectedKeyStore
  private let lock: LockGuard
  private let isStored: @Sendable (KeyIdentifier) -> Bool
  private let clock: any MonotonicClock

  /// Guards keys.
  ///
  /// - Parameters:
  ///   - isStored: Returns whether a key was not deleted, without an access to it.
  ///   - clock: The clock of the time between two readings while a caller waits for the loss of a key.
  package init(
    _ keys: any ProtectedKeyStore, by lock: LockGuard,
    isStored: @escaping @Sendable (KeyIdentifier) -> Bool = { _ in true }, clock: any MonotonicClock = SystemClock()
  ) {
    (base, self.lock, self.isStored, self.clock) = (keys, lock, isStored, clock)
  }

  /// Uses a key after a check of the lock.
  package func checked<Value: ~Copyable>(
    _ use: () async throws(DeviceAuthenticationError) -> Value
  ) async throws(DeviceAuthenticationError) -> Value {
    _ = try await lock.settled()
    return try await use()
  }

  /// Creates a key after a check.
  package func create(
    _ kind: ProtectedKeyKind, counting: Bool
  ) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    guard try await lock.isSet() else { throw .passcodeNotSet }
    return try await base.create(kind, counting: counting)
  }

  /// Accesses the key once, then waits for a removal of the lock that the guard notices, or for a deletion.
  package func waitForLoss(of key: KeyIdentifier) async throws(DeviceAuthenticationError) {
    let removals = await lock.removals
    guard try await access(key) == .usable else { return }
    try await LossWatch.untilLost(on: clock) { (_) throws(DeviceAuthenticationError) in
      await lock.removals == removals && isStored(key)
    }
  }
}

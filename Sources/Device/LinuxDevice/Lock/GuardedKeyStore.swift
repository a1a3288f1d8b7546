package import DeviceAuthentication

/// Keys whose every use comes after a check of the lock, so that a removal a moment ago already holds. When the check
/// fails, the use fails. Keys are listed and deleted without a check: a wipe must work when the lock cannot be read.
package struct GuardedKeyStore: CheckedKeyStore {
  /// The store that has the keys.
  package let base: any ProtectedKeyStore
  private let lock: LockGuard

  /// Guards keys.
  package init(_ keys: any ProtectedKeyStore, by lock: LockGuard) { (base, self.lock) = (keys, lock) }

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
}

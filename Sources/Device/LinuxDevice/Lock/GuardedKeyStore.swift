public import DeviceAuthentication
public import Octets

/// Keys whose every use comes after a check of the lock, so that a removal a moment ago already holds. When the check
/// fails, the use fails.
public struct GuardedKeyStore: ProtectedKeyStore {
  private let keys: any ProtectedKeyStore
  private let lock: LockGuard
  private let isStored: @Sendable (KeyIdentifier) -> Bool
  private let clock: any MonotonicClock

  /// Guards keys.
  ///
  /// - Parameters:
  ///   - isStored: Returns whether a key was not deleted, without an access to it.
  ///   - clock: The clock of the time between two readings while a caller waits for the loss of a key.
  public init(
    _ keys: any ProtectedKeyStore, by lock: LockGuard,
    isStored: @escaping @Sendable (KeyIdentifier) -> Bool = { _ in true }, clock: any MonotonicClock = SystemClock()
  ) {
    (self.keys, self.lock, self.isStored, self.clock) = (keys, lock, isStored, clock)
  }

  /// Creates a key after a check.
  public func create(
    _ kind: ProtectedKeyKind, counting: Bool
  ) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    guard try await lock.isSet() else { throw .passcodeNotSet }
    return try await keys.create(kind, counting: counting)
  }

  /// Lists the keys, without a check, as they are deleted without one.
  public func list() async throws(DeviceAuthenticationError) -> [ListedKey] { try await keys.list() }

  /// Uses a key after a check.
  public func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
    _ = try await lock.settled()
    return try await keys.access(key)
  }

  /// Accesses the key once, then waits for a removal of the lock that the guard notices, or for a deletion.
  public func waitForLoss(of key: KeyIdentifier) async throws(DeviceAuthenticationError) {
    let removals = await lock.removals
    guard try await access(key) == .usable else { return }
    try await LossWatch.untilLost(on: clock) { (_) throws(DeviceAuthenticationError) in
      await lock.removals == removals && isStored(key)
    }
  }

  /// Unseals after a check.
  public func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
    _ = try await lock.settled()
    return try await keys.unseal(key)
  }

  /// Returns the public key after a check.
  public func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    _ = try await lock.settled()
    return try await keys.publicKey(of: key)
  }

  /// Signs after a check.
  public func sign(
    _ digest: [UInt8], with key: KeyIdentifier
  ) async throws(DeviceAuthenticationError) -> [UInt8] {
    _ = try await lock.settled()
    return try await keys.sign(digest, with: key)
  }

  /// Deletes a key, without a check: a wipe must work when the lock cannot be read.
  public func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) { try await keys.delete(key) }

  /// Returns the counter of a key after a check.
  public func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    _ = try await lock.settled()
    return try await keys.counter(of: key)
  }

  /// Raises the counter of a key, if it has a value, after a check.
  public func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    _ = try await lock.settled()
    return try await keys.advanceCounter(of: key, from: value)
  }
}

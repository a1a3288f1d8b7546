/// The port to the key, stored by the device, that binds a wallet to the device lock.
///
/// A removal of the lock is detected at the next access, and every later access returns the same result. An
/// implementation stores that a key was created, also when the device deletes the key, so that `.invalidated(.keyGone)`
/// and `.missing` differ.
public protocol AuthenticationKey: Sendable {
  /// Creates a key under the present lock epoch. It replaces a former key, valid or not.
  ///
  /// - Throws: `.passcodeNotSet` without a lock; `.busy` or `.unavailable` when the key store does not work.
  func create() async throws(DeviceAuthenticationError)

  /// Uses the key and returns whether it works.
  ///
  /// - Throws: `.busy` or `.unavailable`; the key may still be valid then.
  func access() async throws(DeviceAuthenticationError) -> KeyAccess

  /// Deletes the key and the record of its creation. Does nothing when there is neither.
  ///
  /// - Throws: `.busy` or `.unavailable` when the key store does not work.
  func delete() async throws(DeviceAuthenticationError)
}

/// The result of an access to the key.
public enum KeyAccess: Equatable, Sendable {
  /// The key works.
  case usable
  /// The key will never work again.
  case invalidated(KeyInvalidation)
  /// There is no key: none was created, or it was deleted through the port.
  case missing
}

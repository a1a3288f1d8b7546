/// The port to the one key, kept by the device, that ties a wallet to the device lock.
///
/// The key learns nothing when the lock is removed: that is found out when it is next accessed, and from then on
/// every access says the same. An implementation remembers that a key was made even when the device deletes it,
/// so that `.invalidated(.keyGone)` and `.missing` can be told apart.
public protocol AuthenticationKey: Sendable {
  /// Makes a key under the present lock epoch. It takes the place of a former one, valid or not.
  ///
  /// - Throws: `.passcodeNotSet` without a lock; `.busy` or `.unavailable` when the key store does not serve.
  func create() async throws(DeviceAuthenticationError)

  /// Uses the key and tells whether that was possible.
  ///
  /// - Throws: `.busy` or `.unavailable`: nothing is known of the key then, least of all that it is invalid.
  func access() async throws(DeviceAuthenticationError) -> KeyAccess

  /// Deletes the key and the memory of it. Deleting what does not exist does nothing.
  ///
  /// - Throws: `.busy` or `.unavailable` when the key store does not serve.
  func delete() async throws(DeviceAuthenticationError)
}

/// What an access to the key found.
public enum KeyAccess: Equatable, Sendable {
  /// The key works.
  case usable
  /// The key will never work again.
  case invalidated(KeyInvalidation)
  /// There is no key: none was made, or it was deleted through the port.
  case missing
}

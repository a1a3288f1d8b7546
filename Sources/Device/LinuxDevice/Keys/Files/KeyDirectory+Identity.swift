internal import DeviceAuthentication
internal import Octets

/// The identity of a key store: random bytes with which the identifiers of its keys begin. By them a store recognises the
/// key of another device, so that a wallet that was copied here is refused and not wiped.
extension KeyDirectory {
  private static let identityName = "identity"
  private static let identityCount = 8

  /// Returns an identifier for a new key. The first call makes the identity of the store.
  func newIdentifier(_ random: any RandomSource) throws(DeviceAuthenticationError) -> KeyIdentifier {
    let present = try identity()
    let identity = present ?? random.octets(Self.identityCount)
    if present == nil { try write(identity, named: Self.identityName) }
    guard let key = KeyIdentifier(identity + random.octets(8)) else {
      preconditionFailure("an identifier has 1 to 64 bytes")
    }
    return key
  }

  /// - Throws: `.unavailable` for a key that another store has created.
  func checkOwn(_ key: KeyIdentifier) throws(DeviceAuthenticationError) {
    guard let identity = try identity(), key.octets.starts(with: identity) else {
      throw .unavailable(reason: "another device created this key; use that device")
    }
  }

  private func identity() throws(DeviceAuthenticationError) -> [UInt8]? {
    guard let octets = try read(Self.identityName) else { return nil }
    guard octets.count == Self.identityCount else {
      throw .unavailable(reason: "\(path)/\(Self.identityName) is damaged: it has \(octets.count.bytes), not 8")
    }
    return octets
  }
}

public import DeviceAuthentication

/// How a server calls this device. Each server has one, for all accounts of it.
public struct DeviceInformation: Equatable, Sendable {
  /// The name that a person gave, unique among the devices of a user; 1...256 characters.
  public var name: String
  /// The identifier of the device, which stays the same for as long as the device has its keys.
  public let deviceId: String
  /// The address for push messages; nil while push is off.
  public var pushToken: String?

  /// The name of a device that no person has named. It differs from device to device, because a user's devices have
  /// different names.
  static func defaultName(of deviceId: String) -> String { "Wallet \(deviceId.prefix(8))" }

  /// The information of the same device with new keys, and thus with a new identifier.
  func renewed(as deviceId: String) -> DeviceInformation {
    DeviceInformation(
      name: isUnnamed ? Self.defaultName(of: deviceId) : name, deviceId: deviceId, pushToken: pushToken)
  }

  /// Whether no person has named the device.
  var isUnnamed: Bool { name == Self.defaultName(of: deviceId) }
}

/// The identity of the device at one server: what it is called there, and the keys with which it proves that. No other server
/// learns the identifier or the public keys.
///
/// The device keeps identifier and keys beside its other keys, so that every folder of the device has the same identity at a
/// server, also after everything in the folder was removed.
public struct DeviceRecord: Equatable, Sendable {
  /// The server's origin, such as `https://example.org:8443`.
  public let server: String
  /// How the server calls this device.
  public var information: DeviceInformation
  /// The signing key of the device, for JWS.
  public let signatureKey: KeyIdentifier
  /// The private key for JWE, as a JWK that is sealed by the device.
  public let encryptionKey: SealedSecret
  /// Whether an older version made the identity, which used one at all servers.
  public internal(set) var isShared = false
}

extension DeviceRecord {
  /// The identity of an older version at one of its servers.
  static func shared(_ device: SharedDevice, at server: String) -> DeviceRecord {
    DeviceRecord(
      server: server, information: device.information, signatureKey: device.signatureKey,
      encryptionKey: device.encryptionKey, isShared: true)
  }
}

/// The one identity of a device in the file of an older version.
struct SharedDevice: Equatable, Sendable {
  let information: DeviceInformation
  let signatureKey: KeyIdentifier
  let encryptionKey: SealedSecret
}

public import DeviceAuthentication

/// How the servers call this device. There is one for all accounts: made with the first registration, removed with the last.
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

/// The device's one identity: what it is called and the keys with which it proves that.
public struct DeviceRecord: Equatable, Sendable {
  /// How the servers call this device.
  public var information: DeviceInformation
  /// The signing key of the device, for JWS.
  public let signatureKey: KeyIdentifier
  /// The private key for JWE, as a JWK that is sealed by the device.
  public let encryptionKey: SealedSecret
}

public import Documents
public import JOSE

/// A device, as it describes itself when it is linked with a wallet.
public struct WalletDevice: JSONMessage, Hashable {
  /// The identifier of the device, the same as in a dispatch target.
  public var deviceID: String
  /// The name that the user gave it.
  public var name: String
  /// The public key of the device's signatures. It must be the one that signed the request.
  public var signatureKey: JSONWebKey
  /// The public key for messages to the device.
  public var encryptionKey: JSONWebKey
  /// The push token, or nil.
  public var pushTarget: String?
  /// The operating system, such as `Linux 6.1.0`; nil when the client states none.
  public var system: String?
  /// The identifier that the device had before it lost its keys; nil otherwise. The issuer unlinks that one from the wallet.
  public var replaces: String?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(deviceID:name:signatureKey:encryptionKey:pushTarget:replaces:system:),
    .text("deviceId", \.deviceID, DispatchTarget.deviceIDRange),
    .text("name", \.name, DispatchTarget.nameRange),
    .value("signatureKey", \.signatureKey),
    .value("encryptionKey", \.encryptionKey),
    .text("target", \.pushTarget, DispatchTarget.pushTargetRange),
    .text("replaces", \.replaces, DispatchTarget.deviceIDRange),
    .text("system", \.system, systemRange))

  /// The lengths of the name of an operating system, in characters.
  public static let systemRange = 1...128

  /// Creates a device.
  public init(
    deviceID: String, name: String, signatureKey: JSONWebKey, encryptionKey: JSONWebKey, pushTarget: String? = nil,
    replaces: String? = nil, system: String? = nil
  ) {
    (self.deviceID, self.name, self.pushTarget, self.replaces) = (deviceID, name, pushTarget, replaces)
    self.system = system
    (self.signatureKey, self.encryptionKey) = (signatureKey, encryptionKey)
  }
}

/// The status of a device.
public struct DeviceStatus: JSONMessage, Hashable {
  /// Whether the device is linked with a wallet.
  public var isRegistered: Bool
  /// Whether it may be used. False for a device that is not linked.
  public var isActive: Bool
  /// Whether the session that the request presents is open; nil for a request without a session.
  public var isLoggedIn: Bool?

  /// Creates a body.
  public init(isRegistered: Bool, isActive: Bool, isLoggedIn: Bool? = nil) {
    (self.isRegistered, self.isActive, self.isLoggedIn) = (isRegistered, isActive, isLoggedIn)
  }

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(isRegistered:isActive:isLoggedIn:),
    .flag("registered", \.isRegistered),
    .flag("active", \.isActive),
    .flag("loggedIn", \.isLoggedIn))
}

/// The devices of a wallet.
public struct WalletDeviceList: JSONMessage, Hashable {
  /// A device.
  public struct Entry: JSONMessage, Hashable {
    /// The identifier.
    public var deviceID: String
    /// The name.
    public var name: String
    /// Whether it may be used.
    public var isActive: Bool
    /// Whether it signed the request.
    public var isCurrent: Bool
    /// When it was linked, in milliseconds since 1970.
    public var createdAt: Int64
    /// The operating system, or nil.
    public var system: String?
    /// When it was in contact last, in milliseconds since 1970, to a minute; nil when the server does not know.
    public var lastContactAt: Int64?

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(deviceID:name:isActive:isCurrent:createdAt:system:lastContactAt:),
      .text("deviceId", \.deviceID, DispatchTarget.deviceIDRange),
      .text("name", \.name, DispatchTarget.nameRange),
      .flag("active", \.isActive),
      .flag("current", \.isCurrent),
      .number("createdAt", \.createdAt),
      .text("system", \.system, WalletDevice.systemRange),
      .number("lastContactAt", \.lastContactAt))

    /// Creates an entry.
    public init(
      deviceID: String, name: String, isActive: Bool, isCurrent: Bool, createdAt: Int64, system: String? = nil,
      lastContactAt: Int64? = nil
    ) {
      (self.system, self.lastContactAt) = (system, lastContactAt)
      (self.deviceID, self.name, self.isActive) = (deviceID, name, isActive)
      (self.isCurrent, self.createdAt) = (isCurrent, createdAt)
    }
  }

  /// The devices, the oldest first.
  public var devices: [Entry]

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:),
    .list("devices", \.devices))

  /// Creates a body.
  public init(_ devices: [Entry]) { self.devices = devices }
}

/// The token with which a device logs in after its holder was verified by biometrics.
public struct BiometricToken: JSONMessage, Hashable, CustomStringConvertible {
  /// The token. The server stores its digest only.
  public var token: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(token:),
    .text("token", \.token, 1...256))

  /// Creates a body.
  public init(token: String) { self.token = token }

  /// A text without the token.
  public var description: String { "biometric token" }
}

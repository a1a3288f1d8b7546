public import FIDOUAF
public import JSON

/// Wallets with their devices, for an operator.
public struct WalletList: Hashable, Sendable {
  /// A device of a wallet.
  public struct Device: Hashable, Sendable {
    /// The identifier.
    public var deviceID: String
    /// The name.
    public var name: String
    /// Whether it may be used.
    public var isActive: Bool
    /// Whether it is linked. A deactivated device that was unlinked cannot be linked again until it is activated.
    public var isLinked: Bool
    /// When it was linked, in milliseconds since 1970.
    public var createdAt: Int64

    /// Creates a device.
    public init(deviceID: String, name: String, isActive: Bool, isLinked: Bool, createdAt: Int64) {
      (self.deviceID, self.name, self.isActive) = (deviceID, name, isActive)
      (self.isLinked, self.createdAt) = (isLinked, createdAt)
    }
  }

  /// A wallet.
  public struct Entry: Hashable, Sendable {
    /// The identifier.
    public var id: String
    /// The user name.
    public var userName: String
    /// When it was added, in milliseconds since 1970.
    public var createdAt: Int64
    /// Its devices, the oldest first.
    public var devices: [Device]

    /// Creates an entry.
    public init(id: String, userName: String, createdAt: Int64, devices: [Device]) {
      (self.id, self.userName, self.createdAt, self.devices) = (id, userName, createdAt, devices)
    }
  }

  /// The wallets.
  public var wallets: [Entry]
  /// The identifier to ask for the next page with; nil after the last.
  public var next: String?

  /// Creates a body.
  public init(_ wallets: [Entry], next: String? = nil) { (self.wallets, self.next) = (wallets, next) }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    wallets = try reader.list("wallets") { (json, path) throws(UAFMessageError) in
      let reader = try DictionaryReader(json, at: path)
      return Entry(
        id: try reader.text("id", 1...128), userName: try reader.text("userName", UserProfile.emailRange),
        createdAt: Int64(try reader.number("createdAt", 0...Int.max)),
        devices: try reader.list("devices", Self.device))
    }
    next = try reader.optionalText("next", 1...128)
  }

  private static func device(_ json: JSONValue, _ path: String) throws(UAFMessageError) -> Device {
    let reader = try DictionaryReader(json, at: path)
    return Device(
      deviceID: try reader.text("deviceId", DispatchTarget.deviceIDRange),
      name: try reader.text("name", DispatchTarget.nameRange), isActive: try reader.flag("active"),
      isLinked: try reader.flag("linked"), createdAt: Int64(try reader.number("createdAt", 0...Int.max)))
  }

  /// The body as JSON.
  public var json: JSONValue {
    let entries = wallets.map { wallet -> JSONValue in
      let devices = wallet.devices.map { device -> JSONValue in
        [
          "deviceId": JSONValue(device.deviceID), "name": JSONValue(device.name), "active": JSONValue(device.isActive),
          "linked": JSONValue(device.isLinked), "createdAt": JSONValue(device.createdAt),
        ]
      }
      return [
        "id": JSONValue(wallet.id), "userName": JSONValue(wallet.userName), "createdAt": JSONValue(wallet.createdAt),
        "devices": JSONValue(devices),
      ]
    }
    return JSONValue(members: [("wallets", JSONValue(entries)), ("next", next.map { JSONValue($0) })])
  }
}

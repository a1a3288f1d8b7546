public import Documents
public import JSON

/// Adds a new user, or makes a further registration token for one.
public struct UserAddition: JSONMessage, Hashable {
  /// The account, 1 to 128 characters.
  public var name: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(name:),
    .text("name", \.name, RequestContext.userNameRange))

  /// Creates a body.
  public init(name: String) { self.name = name }
}

/// The response to the addition of a user, and to a further token for one, with HTTP status 201.
public struct AddedUser: JSONMessage, Hashable {
  /// The account.
  public var name: String
  /// The registration token. The server cannot show it again.
  public var registrationToken: String
  /// When the token expires, in milliseconds since 1970.
  public var expiresAt: Int64

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(name:registrationToken:expiresAt:),
    .text("name", \.name, RequestContext.userNameRange),
    .text("registrationToken", \.registrationToken, 1...256),
    .number("expiresAt", \.expiresAt))

  /// Creates a body.
  public init(name: String, registrationToken: String, expiresAt: Int64) {
    (self.name, self.registrationToken, self.expiresAt) = (name, registrationToken, expiresAt)
  }
}

/// Devices, for an operator or for their user.
public struct DeviceList: JSONMessage, Hashable {
  /// A device.
  public struct Entry: JSONMessage, Hashable {
    /// The identifier of the dispatch target.
    public var id: String
    /// The identifier that the client gave.
    public var deviceID: String
    /// The account.
    public var account: String
    /// The name.
    public var name: String
    /// `active`, `inactive` or `removed`.
    public var state: String
    /// Whether push messages are enabled.
    public var receivesPush: Bool
    /// When it was registered, in milliseconds since 1970.
    public var createdAt: Int64

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(id:deviceID:account:name:state:receivesPush:createdAt:),
      .text("id", \.id, 1...128),
      .text("deviceId", \.deviceID, DispatchTarget.deviceIDRange),
      .text("account", \.account, RequestContext.userNameRange),
      .text("name", \.name, DispatchTarget.nameRange),
      .text("state", \.state, 1...16),
      .flag("push", \.receivesPush),
      .number("createdAt", \.createdAt))

    /// Creates an entry.
    public init(
      id: String, deviceID: String, account: String, name: String, state: String, receivesPush: Bool, createdAt: Int64
    ) {
      (self.id, self.deviceID, self.account, self.name) = (id, deviceID, account, name)
      (self.state, self.receivesPush, self.createdAt) = (state, receivesPush, createdAt)
    }
  }

  /// The state of a device that was deactivated and then removed. It cannot be registered until it is activated.
  public static let removedState = "removed"

  /// The devices.
  public var devices: [Entry]
  /// The identifier to ask for the next page with; nil after the last.
  public var next: String?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:next:),
    .list("devices", \.devices),
    .text("next", \.next, 1...128))

  /// Creates a body.
  public init(_ devices: [Entry], next: String? = nil) { (self.devices, self.next) = (devices, next) }
}

/// Activates or deactivates a device.
public struct DeviceStateChange: Hashable, Sendable {
  /// Whether the device may be used.
  public var isActive: Bool
  /// The user name of the wallet, for a device that is deactivated for several; or nil.
  public var userName: String?

  /// Creates a body.
  public init(isActive: Bool, userName: String? = nil) { (self.isActive, self.userName) = (isActive, userName) }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    switch try reader.text("state", 1...16) {
    case "active": isActive = true
    case "inactive": isActive = false
    default: throw reader.error("state", "must be active or inactive")
    }
    userName = try reader.optionalText("userName", UserProfile.emailRange)
  }

  /// The body as JSON.
  public var json: JSONValue {
    JSONValue(members: [
      ("state", JSONValue(isActive ? "active" : "inactive")), ("userName", userName.map { JSONValue($0) }),
    ])
  }
}

public import Documents

/// Wallets with their devices, for an operator.
public struct WalletList: JSONMessage, Hashable {
  /// A device of a wallet.
  public struct Device: JSONMessage, Hashable {
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

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(deviceID:name:isActive:isLinked:createdAt:),
      .text("deviceId", \.deviceID, DispatchTarget.deviceIDRange),
      .text("name", \.name, DispatchTarget.nameRange),
      .flag("active", \.isActive),
      .flag("linked", \.isLinked),
      .number("createdAt", \.createdAt))

    /// Creates a device.
    public init(deviceID: String, name: String, isActive: Bool, isLinked: Bool, createdAt: Int64) {
      (self.deviceID, self.name, self.isActive) = (deviceID, name, isActive)
      (self.isLinked, self.createdAt) = (isLinked, createdAt)
    }
  }

  /// A wallet.
  public struct Entry: JSONMessage, Hashable {
    /// The identifier.
    public var id: String
    /// The user name.
    public var userName: String
    /// The first name of its user.
    public var firstName: String
    /// The last name of its user.
    public var lastName: String
    /// The telephone number of its user.
    public var phone: String
    /// When it was added, in milliseconds since 1970.
    public var createdAt: Int64
    /// Its devices, the oldest first.
    public var devices: [Device]

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(id:userName:firstName:lastName:phone:createdAt:devices:),
      .text("id", \.id, 1...128),
      .text("userName", \.userName, UserProfile.emailRange),
      .text("firstName", \.firstName, UserProfile.nameRange),
      .text("lastName", \.lastName, UserProfile.nameRange),
      .text("phone", \.phone, UserProfile.phoneRange),
      .number("createdAt", \.createdAt),
      .list("devices", \.devices))

    /// Creates an entry.
    public init(
      id: String, userName: String, firstName: String, lastName: String, phone: String, createdAt: Int64,
      devices: [Device]
    ) {
      (self.id, self.userName, self.createdAt, self.devices) = (id, userName, createdAt, devices)
      (self.firstName, self.lastName, self.phone) = (firstName, lastName, phone)
    }
  }

  /// The wallets.
  public var wallets: [Entry]
  /// The identifier to ask for the next page with; nil after the last.
  public var next: String?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:next:),
    .list("wallets", \.wallets),
    .text("next", \.next, 1...128))

  /// Creates a body.
  public init(_ wallets: [Entry], next: String? = nil) { (self.wallets, self.next) = (wallets, next) }
}

public import Documents
public import FIDOUAF

/// The credentials of a device. A client that accepts `application/jose` receives the JSON as a JWE for its encryption key.
public struct DeviceCredentials: JSONMessage, Hashable {
  /// A registered key of an authenticator.
  public struct Entry: JSONMessage, Hashable {
    /// The account.
    public var userName: String
    /// The model.
    public var aaid: AAID
    /// The identifier of the key.
    public var keyID: KeyID
    /// The identifier for other systems.
    public var externalID: String
    /// When it was registered, in milliseconds since 1970.
    public var createdAt: Int64

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(userName:aaid:keyID:externalID:createdAt:),
      .text("username", \.userName, RequestContext.userNameRange),
      .value("aaid", \.aaid),
      .value("keyId", \.keyID),
      .text("extId", \.externalID, 1...128),
      .number("creationTimeInEpochMillis", \.createdAt))

    /// Creates an entry.
    public init(userName: String, aaid: AAID, keyID: KeyID, externalID: String, createdAt: Int64) {
      (self.userName, self.aaid, self.keyID) = (userName, aaid, keyID)
      (self.externalID, self.createdAt) = (externalID, createdAt)
    }
  }

  /// The keys, the oldest first.
  public var entries: [Entry]

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:),
    .list("credentials", \.entries))

  /// Creates a body.
  public init(_ entries: [Entry]) { self.entries = entries }
}

/// The out-of-band operations of a device that are neither redeemed nor expired. A client that accepts `application/jose`
/// receives the JSON as a JWE for its encryption key.
public struct PendingOperations: JSONMessage, Hashable {
  /// A pending operation.
  public struct Entry: JSONMessage, Hashable {
    /// When it was dispatched, in milliseconds since 1970.
    public var createdAt: Int64
    /// When it expires, in milliseconds since 1970.
    public var expiresAt: Int64
    /// The name of the dispatcher.
    public var channel: String
    /// The payload.
    public var payload: OutOfBandPayload
    /// More information, such as the text of a notification as JSON; or nil.
    public var information: String?

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(createdAt:expiresAt:channel:payload:information:),
      .number("creationTimeInEpochMillis", \.createdAt),
      .number("expirationTimeInEpochMillis", \.expiresAt),
      .text("dispatchChannel", \.channel, 1...64),
      .value("payload", \.payload),
      .text("additionalInformation", \.information, 0...8_192))

    /// Creates an entry.
    public init(
      createdAt: Int64, expiresAt: Int64, channel: String, payload: OutOfBandPayload, information: String? = nil
    ) {
      (self.createdAt, self.expiresAt, self.channel) = (createdAt, expiresAt, channel)
      (self.payload, self.information) = (payload, information)
    }
  }

  /// The operations, the oldest first.
  public var entries: [Entry]

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:),
    .list("operations", \.entries))

  /// Creates a body.
  public init(_ entries: [Entry]) { self.entries = entries }
}

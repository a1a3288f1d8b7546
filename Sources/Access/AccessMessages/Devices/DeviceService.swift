public import FIDOUAF
public import JSON

/// The credentials of a device. A client that accepts `application/jose` receives the JSON as a JWE for its encryption key.
public struct DeviceCredentials: Hashable, Sendable {
  /// A registered key of an authenticator.
  public struct Entry: Hashable, Sendable {
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

    /// Creates an entry.
    public init(userName: String, aaid: AAID, keyID: KeyID, externalID: String, createdAt: Int64) {
      (self.userName, self.aaid, self.keyID) = (userName, aaid, keyID)
      (self.externalID, self.createdAt) = (externalID, createdAt)
    }
  }

  /// The keys, the oldest first.
  public var entries: [Entry]

  /// Creates a body.
  public init(_ entries: [Entry]) { self.entries = entries }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    entries = try DictionaryReader(json).list("credentials") { (json, path) throws(UAFMessageError) in
      let reader = try DictionaryReader(json, at: path)
      return Entry(
        userName: try reader.text("username", RequestContext.userNameRange),
        aaid: try reader.object("aaid", AAID.init), keyID: try reader.object("keyId", KeyID.init),
        externalID: try reader.text("extId", 1...128),
        createdAt: Int64(try reader.number("creationTimeInEpochMillis", 0...Int.max)))
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    let list = entries.map { entry -> JSONValue in
      [
        "username": JSONValue(entry.userName), "aaid": entry.aaid.json, "keyId": entry.keyID.json,
        "extId": JSONValue(entry.externalID), "creationTimeInEpochMillis": JSONValue(entry.createdAt),
      ]
    }
    return ["credentials": JSONValue(list)]
  }
}

/// The out-of-band operations of a device that are neither redeemed nor expired. A client that accepts `application/jose`
/// receives the JSON as a JWE for its encryption key.
public struct PendingOperations: Hashable, Sendable {
  /// A pending operation.
  public struct Entry: Hashable, Sendable {
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

  /// Creates a body.
  public init(_ entries: [Entry]) { self.entries = entries }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    entries = try DictionaryReader(json).list("operations") { (json, path) throws(UAFMessageError) in
      let reader = try DictionaryReader(json, at: path)
      return Entry(
        createdAt: Int64(try reader.number("creationTimeInEpochMillis", 0...Int.max)),
        expiresAt: Int64(try reader.number("expirationTimeInEpochMillis", 0...Int.max)),
        channel: try reader.text("dispatchChannel", 1...64),
        payload: try reader.object("payload") { (json, _) throws(UAFMessageError) in try OutOfBandPayload(json) },
        information: try reader.optionalText("additionalInformation", 0...8_192))
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    let list = entries.map { entry in
      JSONValue(members: [
        ("creationTimeInEpochMillis", JSONValue(entry.createdAt)),
        ("expirationTimeInEpochMillis", JSONValue(entry.expiresAt)),
        ("dispatchChannel", JSONValue(entry.channel)), ("payload", entry.payload.json),
        ("additionalInformation", entry.information.map { JSONValue($0) }),
      ])
    }
    return ["operations": JSONValue(list)]
  }
}

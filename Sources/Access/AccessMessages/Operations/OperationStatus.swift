public import Documents
internal import FIDOUAF
public import JSON

/// A question about the status of an operation.
public struct StatusRequest: JSONMessage, Hashable {
  /// The session identifier of the operation, 1 to 128 characters.
  public var sessionID: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(sessionID:),
    .text("sessionId", \.sessionID, 1...128))

  /// Creates a body.
  public init(sessionID: String) { self.sessionID = sessionID }
}

/// The status of an operation.
public struct OperationStatus: JSONMessage, Hashable {
  /// How far an operation is.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The token was made and not redeemed.
    case tokenCreated
    /// The client has the registration request.
    case clientRegistering
    /// The client has the authentication request.
    case clientAuthenticating
    /// The operation succeeded.
    case succeeded
    /// The operation failed, or its time is up.
    case failed
    /// There is no such operation.
    case unknown
  }

  /// What became of a token.
  public enum TokenResult: String, Hashable, Sendable, CaseIterable {
    /// The client redeemed the token.
    case tokenRedeemed
    /// The token expired before it was redeemed.
    case tokenTimedOut
  }

  /// A key that took part. The server stores it under the names of the properties.
  public struct Authenticator: JSONMessage, Hashable, Codable {
    /// The model, the identifier of the key in base64url, and the identifier for other systems.
    public let aaid, keyID, externalID: String

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(aaid:keyID:externalID:),
      .text("aaid", \.aaid, 9...9),
      .text("keyId", \.keyID, 1...4_096),
      .text("extId", \.externalID, 1...128))

    /// Creates a key.
    public init(aaid: String, keyID: String, externalID: String) {
      (self.aaid, self.keyID, self.externalID) = (aaid, keyID, externalID)
    }
  }

  /// What is known of a dispatched token.
  public struct TokenInformation: MessageValue, Hashable {
    /// The external identifier of the device, or nil.
    public var deviceExternalID: String?
    /// What became of the token; nil while it waits.
    public var result: TokenResult?
    /// The name of the dispatcher.
    public var dispatcher: String

    /// Creates information.
    public init(deviceExternalID: String?, result: TokenResult?, dispatcher: String) {
      (self.deviceExternalID, self.result, self.dispatcher) = (deviceExternalID, result, dispatcher)
    }
  }

  /// How far the operation is.
  public var state: State
  /// When the state began, in milliseconds since 1970, or nil.
  public var timestamp: Int64?
  /// The account, or nil.
  public var userID: String?
  /// The result in the protocol, or nil.
  public var uafStatus: Int?
  /// The status of the authenticator that the client reported, or nil.
  public var asmStatus: Int?
  /// The error that the client reported, or nil.
  public var clientError: Int?
  /// The keys that took part.
  public var authenticators: [Authenticator] = []
  /// What is known of the token; nil for an operation that was not dispatched.
  public var token: TokenInformation?

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(state:timestamp:userID:uafStatus:asmStatus:clientError:authenticators:token:),
    .choice("status", \.state),
    .number("timestamp", \.timestamp),
    .text("userId", \.userID, RequestContext.userNameRange),
    .number("uafStatusCode", \.uafStatus, 1_000...1_999),
    .number("asmStatusCode", \.asmStatus, 0...255),
    .number("clientErrorCode", \.clientError, 0...255),
    .filledList("authenticators", \.authenticators),
    .value("tokenInformation", \.token))
}

extension OperationStatus {
  /// Creates a status.
  public init(_ state: State) { self.init(state: state) }
}

extension OperationStatus.TokenInformation {
  /// Reads information.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    let reader = try StrictReader(json, at: path)
    deviceExternalID = try reader.optionalText("dispatchTargetExtId", 1...128)
    result = try reader.optionalText("tokenResult", 1...64).flatMap(OperationStatus.TokenResult.init)
    dispatcher = try reader.value("dispatcherInformation") { (json, path) throws(DocumentError) in
      try StrictReader(json, at: path).text("name", 1...64)
    }
  }

  /// The information as JSON.
  public var json: JSONValue {
    JSONValue(members: [
      ("dispatchTargetExtId", deviceExternalID.map { JSONValue($0) }),
      ("tokenResult", result.map { JSONValue($0.rawValue) }),
      ("dispatcherInformation", ["name": JSONValue(dispatcher)]),
    ])
  }
}

public import Documents
public import FIDOUAF
public import JSON

/// How an operation reaches a device: a dispatcher of the server.
public enum DispatchChannel: String, Hashable, Sendable, CaseIterable {
  /// A link that the user opens.
  case link
  /// A QR code that the user scans.
  case qrCode = "png-qr-code"
  /// A push message. The server puts it into the queue that the device polls.
  case push = "firebase-cloud-messaging"
}

/// Asks the server to dispatch an operation.
public struct DispatchRequest: Hashable, Sendable {
  /// The operation and its context.
  public var request: GetUAFRequest
  /// The name of the dispatcher.
  public var dispatcher: String
  /// The identifier of the dispatch target; required for `push`. Without one the payload is not encrypted.
  public var targetID: String?
  /// Information for the dispatcher, such as the text of a notification; or nil.
  public var information: JSONValue?

  /// Creates a body.
  public init(
    _ request: GetUAFRequest, dispatcher: String, targetID: String? = nil, information: JSONValue? = nil
  ) {
    (self.request, self.dispatcher) = (request, dispatcher)
    (self.targetID, self.information) = (targetID, information)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    request = try reader.value("getUafRequest", GetUAFRequest.init(_:at:))
    dispatcher = try reader.text("dispatcher", 1...64)
    targetID = try reader.optionalText("dispatchTargetId", 1...128)
    information = try reader.optionalValue("dispatchInformation") { (json, path) throws(DocumentError) in
      _ = try StrictReader(json, at: path)
      guard json.compact.utf8.count <= Self.maximumInformationCount else {
        throw DocumentError(path, at: json.position, "at most \(Self.maximumInformationCount) bytes are read")
      }
      return json
    }
  }

  /// The largest information for a dispatcher, in bytes.
  static let maximumInformationCount = 4_096

  /// The body as JSON.
  public var json: JSONValue {
    JSONValue(members: [
      ("getUafRequest", request.json), ("dispatcher", JSONValue(dispatcher)),
      ("dispatchTargetId", targetID.map { JSONValue($0) }), ("dispatchInformation", information),
    ])
  }
}

/// The response to a dispatch, with HTTP status 200 also when the dispatch failed.
public struct DispatchResponse: Hashable, Sendable {
  /// What became of a dispatch.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    /// The operation was dispatched.
    case dispatched
    /// The dispatcher failed.
    case dispatchError
    /// The dispatch target is deactivated.
    case dispatchTargetExpired
    /// There is no such dispatch target.
    case dispatchTargetNotFound
    /// There is no such dispatcher.
    case dispatcherNotFound
    /// There is no such user.
    case userNotFound
    /// An error of the server.
    case internalError
  }

  /// What became of the dispatch.
  public var result: Result
  /// The token; nil when the dispatch failed.
  public var token: String?
  /// The session identifier, for the status service; nil when the dispatch failed.
  public var sessionID: String?
  /// The name of the dispatcher.
  public var dispatcher: String
  /// What the dispatcher made: the link, or the PNG of a QR code in base64; nil for a push message.
  public var response: String?

  /// Creates a body.
  public init(
    _ result: Result, dispatcher: String, token: String? = nil, sessionID: String? = nil, response: String? = nil
  ) {
    (self.result, self.dispatcher) = (result, dispatcher)
    (self.token, self.sessionID, self.response) = (token, sessionID, response)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    result = try reader.choice("dispatchResult")
    token = try reader.optionalText("token", 1...256)
    sessionID = try reader.optionalText("sessionId", 1...128)
    let information = try reader.value("dispatcherInformation") { (json, path) throws(DocumentError) in
      let reader = try StrictReader(json, at: path)
      return (name: try reader.text("name", 1...64), response: try reader.optionalText("response", 0...1_048_576))
    }
    (dispatcher, response) = (information.name, information.response)
  }

  /// The body as JSON.
  public var json: JSONValue {
    let information = JSONValue(members: [
      ("name", JSONValue(dispatcher)), ("response", response.map { JSONValue($0) }),
    ])
    return JSONValue(members: [
      ("token", token.map { JSONValue($0) }), ("sessionId", sessionID.map { JSONValue($0) }),
      ("dispatcherInformation", information), ("dispatchResult", JSONValue(result.rawValue)),
    ])
  }
}

/// Redeems a token. The response is a `ReturnUAFRequest`: 1200 with a request, 1404 for an unknown token, 1408 for an expired
/// one, 1491 for one that was already redeemed.
public struct RedeemRequest: JSONMessage, Hashable {
  /// The token, 1 to 256 characters.
  public var token: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(token:),
    .text("token", \.token, 1...256))

  /// Creates a body.
  public init(token: String) { self.token = token }
}

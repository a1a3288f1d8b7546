public import JSON

/// Asks a server for a request.
public struct GetUAFRequest: Hashable, Sendable {
  /// The operation.
  public var operation: UAFOperation
  /// The context: JSON as text, or nil.
  public var context: String?

  /// Creates a body.
  public init(_ operation: UAFOperation, context: String? = nil) {
    (self.operation, self.context) = (operation, context)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: "$")
    operation = try reader.choice("op")
    context = try reader.optionalText("context", 0...UAFMessage.maximumCount)
  }

  /// The body as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [("op", JSONValue(operation.rawValue))]
    if let context { members.append(("context", JSONValue(context))) }
    return JSONValue(members: members)
  }
}

/// A request of a server.
public struct ReturnUAFRequest: Hashable, Sendable {
  /// The result.
  public var status: UAFStatusCode
  /// The request: a list in JSON, as text; nil after a failure.
  public var message: String?
  /// The operation, or nil.
  public var operation: UAFOperation?
  /// How long the request is valid, in milliseconds, or nil.
  public var lifetimeMilliseconds: Int?

  /// Creates a body.
  public init(
    _ status: UAFStatusCode, message: String? = nil, operation: UAFOperation? = nil, lifetimeMilliseconds: Int? = nil
  ) {
    (self.status, self.message) = (status, message)
    (self.operation, self.lifetimeMilliseconds) = (operation, lifetimeMilliseconds)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: "$")
    status = UAFStatusCode(rawValue: try reader.number("statusCode", 1_000...1_999))
    message = try reader.optionalText("uafRequest", 1...UAFMessage.maximumCount)
    operation = try reader.optionalText("op", 1...16).flatMap(UAFOperation.init)
    lifetimeMilliseconds = try reader.optionalNumber("lifetimeMillis", 0...Int.max)
  }

  /// The body as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [("statusCode", JSONValue(status.rawValue))]
    if let message { members.append(("uafRequest", JSONValue(message))) }
    if let operation { members.append(("op", JSONValue(operation.rawValue))) }
    if let lifetimeMilliseconds { members.append(("lifetimeMillis", JSONValue(lifetimeMilliseconds))) }
    return JSONValue(members: members)
  }
}

/// A response of a client.
public struct SendUAFResponse: Hashable, Sendable {
  /// The response: a list in JSON, as text.
  public var message: String
  /// The context: JSON as text, or nil.
  public var context: String?

  /// Creates a body.
  public init(message: String, context: String? = nil) {
    (self.message, self.context) = (message, context)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: "$")
    message = try reader.text("uafResponse", 1...UAFMessage.maximumCount)
    context = try reader.optionalText("context", 0...UAFMessage.maximumCount)
  }

  /// The body as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [("uafResponse", JSONValue(message))]
    if let context { members.append(("context", JSONValue(context))) }
    return JSONValue(members: members)
  }
}

/// The result of an operation.
public struct ServerResponse: Hashable, Sendable {
  /// A token for the client.
  public struct Token: Hashable, Sendable {
    /// The type, such as `JWT` or `HTTP_COOKIE`.
    public let type: String
    /// The token.
    public let value: String

    /// Creates a token.
    public init(type: String, value: String) { (self.type, self.value) = (type, value) }
  }

  /// The result.
  public var status: UAFStatusCode
  /// A sentence for developers, or nil.
  public var summary: String?
  /// Tokens for the client.
  public var tokens: [Token]

  /// Creates a body.
  public init(_ status: UAFStatusCode, summary: String? = nil, tokens: [Token] = []) {
    (self.status, self.summary, self.tokens) = (status, summary, tokens)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: "$")
    status = UAFStatusCode(rawValue: try reader.number("statusCode", 1_000...1_999))
    summary = try reader.optionalText("description", 0...4_096)
    tokens =
      try reader.optionalList("additionalTokens") { (json, path) throws(UAFMessageError) in
        let token = try DictionaryReader(json, at: path)
        return Token(type: try token.text("type", 1...64), value: try token.text("value", 0...65_536))
      } ?? []
  }

  /// The body as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [("statusCode", JSONValue(status.rawValue))]
    if let summary { members.append(("description", JSONValue(summary))) }
    if !tokens.isEmpty {
      let list = tokens.map { token -> JSONValue in ["type": JSONValue(token.type), "value": JSONValue(token.value)] }
      members.append(("additionalTokens", JSONValue(list)))
    }
    return JSONValue(members: members)
  }
}

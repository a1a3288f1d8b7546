public import Documents

/// Asks a server for a request.
public struct GetUAFRequest: JSONMessage, Hashable {
  /// The operation.
  public var operation: UAFOperation
  /// The context: JSON as text, or nil.
  public var context: String?

  /// Creates a body.
  public init(_ operation: UAFOperation, context: String? = nil) {
    (self.operation, self.context) = (operation, context)
  }

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(_:context:),
    .choice("op", \.operation),
    .text("context", \.context, 0...UAFMessage.maximumCount))
}

/// A request of a server.
public struct ReturnUAFRequest: JSONMessage, Hashable {
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

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(_:message:operation:lifetimeMilliseconds:),
    .status(\.status),
    .text("uafRequest", \.message, 1...UAFMessage.maximumCount),
    .knownChoice("op", \.operation),
    .number("lifetimeMillis", \.lifetimeMilliseconds))
}

/// A response of a client.
public struct SendUAFResponse: JSONMessage, Hashable {
  /// The response: a list in JSON, as text.
  public var message: String
  /// The context: JSON as text, or nil.
  public var context: String?

  /// Creates a body.
  public init(message: String, context: String? = nil) {
    (self.message, self.context) = (message, context)
  }

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(message:context:),
    .text("uafResponse", \.message, 1...UAFMessage.maximumCount),
    .text("context", \.context, 0...UAFMessage.maximumCount))
}

/// The result of an operation.
public struct ServerResponse: JSONMessage, Hashable {
  /// A token for the client.
  public struct Token: JSONMessage, Hashable {
    /// The type, such as `JWT` or `HTTP_COOKIE`.
    public let type: String
    /// The token.
    public let value: String

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(type:value:),
      .text("type", \.type, 1...64),
      .text("value", \.value, 0...65_536))

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

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(_:summary:tokens:),
    .status(\.status),
    .text("description", \.summary, 0...4_096),
    .filledList("additionalTokens", \.tokens))
}

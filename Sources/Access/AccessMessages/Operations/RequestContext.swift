public import Documents
public import FIDOUAF
public import JSON

/// The context of a `GetUAFRequest`: JSON in the member `context`, as text. The members `transaction` and `authenticators` are
/// ours.
public struct RequestContext: Hashable, Sendable {
  /// The account, 1 to 128 characters. Required for a registration; nil for an authentication of any user.
  public var userName: String?
  /// The name of a policy of the server, 1 to 64 characters; nil for the default.
  public var policy: String?
  /// The text of a transaction to confirm, 1 to 200 characters of ASCII, or nil. Authentication only.
  public var transaction: String?
  /// The keys to deregister; empty for all of the user. Deregistration only.
  public var targets: [DeregistrationRequest.Target]
  /// The identifier of the client's device, for which the request is made; or nil. Ours.
  public var deviceID: String?

  /// Creates a context.
  public init(
    userName: String? = nil, policy: String? = nil, transaction: String? = nil,
    targets: [DeregistrationRequest.Target] = [], deviceID: String? = nil
  ) {
    (self.userName, self.policy, self.deviceID) = (userName, policy, deviceID)
    (self.transaction, self.targets) = (transaction, targets)
  }

  /// Reads a context.
  public init(_ json: JSONValue, at path: String = "$") throws(DocumentError) {
    let reader = try StrictReader(json, at: path)
    userName = try reader.optionalText("username", Self.userNameRange)
    policy = try reader.optionalText("policy", 1...64)
    transaction = try reader.optionalText("transaction", 1...Transaction.maximumTextCount)
    if let transaction, Transaction(text: transaction) == nil {
      throw reader.error("transaction", "must be ASCII text")
    }
    targets = try reader.optionalList("authenticators", Self.target) ?? []
    deviceID = try reader.optionalText("deviceId", DispatchTarget.deviceIDRange)
  }

  /// Reads a context from the text in a body; an absent context is an empty one.
  public init(text: String?) throws(DocumentError) {
    try self.init(JSONValue(context: text), at: "$.context")
  }

  /// The lengths of an account, in characters.
  public static let userNameRange = 1...128

  private static func target(
    _ json: JSONValue, at path: String
  ) throws(DocumentError) -> DeregistrationRequest.Target {
    let reader = try StrictReader(json, at: path)
    let aaid = try reader.value("aaid", AAID.init)
    guard let keyID = try reader.optionalValue("keyID", KeyID.init) else { return .model(aaid) }
    return .key(aaid, keyID)
  }

  /// The context as JSON.
  public var json: JSONValue {
    let keys: [JSONValue] = targets.compactMap { target in
      switch target {
      case .everything: nil
      case .model(let aaid): ["aaid": aaid.json]
      case .key(let aaid, let keyID): ["aaid": aaid.json, "keyID": keyID.json]
      }
    }
    return JSONValue(members: [
      ("username", userName.map { JSONValue($0) }), ("policy", policy.map { JSONValue($0) }),
      ("transaction", transaction.map { JSONValue($0) }),
      ("authenticators", keys.isEmpty ? JSONValue?.none : JSONValue(keys)),
      ("deviceId", deviceID.map { JSONValue($0) }),
    ])
  }
}

/// The context of a `SendUAFResponse`: JSON in the member `context`, as text. The member `deviceId` is ours.
public struct ResponseContext: JSONMessage, Hashable {
  /// The identifier of the client's device, which links a new credential to the device's dispatch target; or nil.
  public var deviceID: String?
  /// The status of the authenticator (`ASMStatus`) when the client failed, or nil.
  public var asmStatus: Int?
  /// The error of the client (`UAFErrorCode`) when it failed, or nil.
  public var clientError: Int?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(deviceID:asmStatus:clientError:),
    .text("deviceId", \.deviceID, DispatchTarget.deviceIDRange),
    .number("asmStatusCode", \.asmStatus, 0...255),
    .number("clientErrorCode", \.clientError, 0...255))

  /// Creates a context.
  public init(deviceID: String? = nil, asmStatus: Int? = nil, clientError: Int? = nil) {
    (self.deviceID, self.asmStatus, self.clientError) = (deviceID, asmStatus, clientError)
  }

  /// Reads a context from the text in a body; an absent context is an empty one.
  public init(text: String?) throws(DocumentError) {
    try self.init(JSONValue(context: text), at: "$.context")
  }
}

extension JSONValue {
  /// Parses the text of a member `context`; an absent or empty text is an empty object.
  fileprivate init(context text: String?) throws(DocumentError) {
    guard let text, !text.isEmpty else {
      self = [:]
      return
    }
    self = try JSONValue(message: text.utf8, at: "$.context")
  }
}

internal import JOSE
public import JSON
internal import Octets

/// A request to register authenticators (FIDO UAF Protocol Specification 1.1, section 3.4.1).
public struct RegistrationRequest: Hashable, Sendable {
  /// The header.
  public var header: OperationHeader
  /// The challenge, 8 to 64 bytes.
  public var challenge: [UInt8]
  /// The user name that the authenticator shows, 1 to 128 characters.
  public var userName: String
  /// Which authenticators the server accepts.
  public var policy: Policy

  /// Creates a request.
  public init(header: OperationHeader, challenge: [UInt8], userName: String, policy: Policy) {
    (self.header, self.challenge, self.userName, self.policy) = (header, challenge, userName, policy)
  }

  init(_ reader: DictionaryReader, _ header: OperationHeader) throws(UAFMessageError) {
    self.header = header
    challenge = try reader.octets("challenge", FinalChallengeParameters.challengeRange)
    userName = try reader.text("username", 1...128)
    policy = try reader.object("policy", Policy.init)
  }

  /// The request as JSON, without the list around it.
  public var json: JSONValue {
    [
      "header": header.json, "challenge": JSONValue(challenge.base64URL), "username": JSONValue(userName),
      "policy": policy.json,
    ]
  }
}

/// A request to authenticate, or to confirm transactions (FIDO UAF Protocol Specification 1.1, section 3.5.1).
public struct AuthenticationRequest: Hashable, Sendable {
  /// The header.
  public var header: OperationHeader
  /// The challenge, 8 to 64 bytes.
  public var challenge: [UInt8]
  /// Forms of the transaction to confirm, of which the client shows one; nil without a transaction.
  public var transactions: [Transaction]?
  /// Which authenticators the server accepts.
  public var policy: Policy

  /// Creates a request.
  public init(header: OperationHeader, challenge: [UInt8], transactions: [Transaction]? = nil, policy: Policy) {
    (self.header, self.challenge, self.transactions, self.policy) = (header, challenge, transactions, policy)
  }

  init(_ reader: DictionaryReader, _ header: OperationHeader) throws(UAFMessageError) {
    self.header = header
    challenge = try reader.octets("challenge", FinalChallengeParameters.challengeRange)
    transactions = try reader.optionalList("transaction", Transaction.init)
    policy = try reader.object("policy", Policy.init)
  }

  /// The request as JSON, without the list around it.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [("header", header.json), ("challenge", JSONValue(challenge.base64URL))]
    if let transactions { members.append(("transaction", JSONValue(transactions.map(\.json)))) }
    return JSONValue(members: members + [("policy", policy.json)])
  }
}

/// A request to delete keys (FIDO UAF Protocol Specification 1.1, section 3.6.1). It has no response.
public struct DeregistrationRequest: Hashable, Sendable {
  /// What to delete.
  public enum Target: Hashable, Sendable {
    /// All keys of the application.
    case everything
    /// All keys of one model.
    case model(AAID)
    /// One key.
    case key(AAID, KeyID)
  }

  /// The header.
  public var header: OperationHeader
  /// What to delete, at least one element. `everything` is the only element where it occurs.
  public var targets: [Target]

  /// Creates a request.
  public init(header: OperationHeader, targets: [Target]) {
    (self.header, self.targets) = (header, targets)
  }

  init(_ reader: DictionaryReader, _ header: OperationHeader) throws(UAFMessageError) {
    self.header = header
    targets = try reader.list("authenticators", Self.target)
    guard !targets.isEmpty else { throw reader.error("authenticators", "must not be empty") }
    if targets.contains(.everything), targets.count > 1 {
      throw reader.error("authenticators", "an empty aaid with an empty keyID must be the only element")
    }
  }

  private static func target(_ json: JSONValue, at path: String) throws(UAFMessageError) -> Target {
    let reader = try DictionaryReader(json, at: path)
    let model = try reader.text("aaid", 0...9)
    let key = try reader.octets("keyID", 0...KeyID.range.upperBound)
    if model.isEmpty {
      guard key.isEmpty else { throw reader.error("aaid", "must not be empty when keyID is given") }
      return .everything
    }
    guard let aaid = AAID(model) else {
      throw reader.error("aaid", "must be four hexadecimal digits, #, four hexadecimal digits")
    }
    if key.isEmpty { return .model(aaid) }
    guard let keyID = KeyID(key) else {
      throw reader.error("keyID", "\(key.count.bytes): 32 to 2048 are allowed")
    }
    return .key(aaid, keyID)
  }

  /// The request as JSON, without the list around it.
  public var json: JSONValue {
    let authenticators = targets.map { target -> JSONValue in
      switch target {
      case .everything: ["aaid": "", "keyID": ""]
      case .model(let aaid): ["aaid": aaid.json, "keyID": ""]
      case .key(let aaid, let keyID): ["aaid": aaid.json, "keyID": keyID.json]
      }
    }
    return ["header": header.json, "authenticators": JSONValue(authenticators)]
  }
}

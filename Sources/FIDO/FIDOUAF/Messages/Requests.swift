public import Documents
internal import JOSE
public import JSON
internal import Octets

/// A request to register authenticators (FIDO UAF Protocol Specification 1.1, section 3.4.1).
public struct RegistrationRequest: JSONMessage, Hashable {
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

  /// The members of the object, without the list around it.
  public static let fields = MessageTable(
    Self.init(header:challenge:userName:policy:),
    .value("header", \.header),
    .octets("challenge", \.challenge, FinalChallengeParameters.challengeRange),
    .text("username", \.userName, 1...128),
    .value("policy", \.policy))
}

/// A request to authenticate, or to confirm transactions (FIDO UAF Protocol Specification 1.1, section 3.5.1).
public struct AuthenticationRequest: JSONMessage, Hashable {
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

  /// The members of the object, without the list around it.
  public static let fields = MessageTable(
    Self.init(header:challenge:transactions:policy:),
    .value("header", \.header),
    .octets("challenge", \.challenge, FinalChallengeParameters.challengeRange),
    .list("transaction", \.transactions),
    .value("policy", \.policy))
}

/// A request to delete keys (FIDO UAF Protocol Specification 1.1, section 3.6.1). It has no response.
public struct DeregistrationRequest: JSONMessage, Hashable {
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

  /// The members of the object, without the list around it.
  public static let fields = MessageTable(
    Self.init(header:targets:),
    .value("header", \.header),
    .list("authenticators", \.targets))

  /// Checks that the targets do not contradict each other.
  public func check(_ reader: StrictReader) throws(DocumentError) {
    guard !targets.isEmpty else { throw reader.error("authenticators", "must not be empty") }
    if targets.contains(.everything), targets.count > 1 {
      throw reader.error("authenticators", "an empty aaid with an empty keyID must be the only element")
    }
  }
}

extension DeregistrationRequest.Target: MessageValue {
  /// Reads a target.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    let reader = try StrictReader(json, at: path)
    let model = try reader.text("aaid", 0...9)
    let key = try reader.octets("keyID", 0...KeyID.range.upperBound)
    if model.isEmpty {
      guard key.isEmpty else { throw reader.error("aaid", "must not be empty when keyID is given") }
      self = .everything
      return
    }
    guard let aaid = AAID(model) else {
      throw reader.error("aaid", "must be four hexadecimal digits, #, four hexadecimal digits")
    }
    if key.isEmpty {
      self = .model(aaid)
      return
    }
    guard let keyID = KeyID(key) else {
      throw reader.error("keyID", "\(key.count.bytes): 32 to 2048 are allowed")
    }
    self = .key(aaid, keyID)
  }

  /// The target as JSON.
  public var json: JSONValue {
    switch self {
    case .everything: ["aaid": "", "keyID": ""]
    case .model(let aaid): ["aaid": aaid.json, "keyID": ""]
    case .key(let aaid, let keyID): ["aaid": aaid.json, "keyID": keyID.json]
    }
  }
}

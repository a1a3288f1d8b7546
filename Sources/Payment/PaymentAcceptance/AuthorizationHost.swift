public import EMVTerminal
internal import Octets

/// The port to the host that decides on online requests: a test issuer, or an acquirer's test host.
public protocol AuthorizationHost: Sendable {
  /// Decides. May block. Called after the card's last response, on the thread that drives the card.
  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse

  /// Returns a host that responds as a test orders. A host that cannot, such as a recorded one, returns itself.
  func ordered(_ order: IssuerOrder) -> any AuthorizationHost
}

extension AuthorizationHost {
  /// Returns the host itself.
  public func ordered(_ order: IssuerOrder) -> any AuthorizationHost { self }
}

/// The response of a host: its decision, and the issuer's data for the card.
public struct AuthorizationResponse: Hashable, Sendable {
  /// The decision of a host.
  public enum Decision: Hashable, Sendable {
    /// Approved, with the authorisation code, tag 89: six characters.
    case approved(code: String)
    /// Declined; the reason is a sentence for the tester.
    case declined(reason: String)
    /// The host does not know the card, or there is no host: the outcome stays an online request.
    case unknownCard(reason: String)
  }

  /// The decision.
  public let decision: Decision
  /// Tags 8A, 91, 71 and 72. It names the parts that were dropped.
  public let issuerData: IssuerData

  /// Creates a response.
  public init(_ decision: Decision, issuerData: IssuerData = IssuerData()) {
    self.decision = decision
    self.issuerData = issuerData
  }

  /// An approval.
  public static func approved(code: String, _ data: IssuerData = IssuerData()) -> AuthorizationResponse {
    AuthorizationResponse(.approved(code: code), issuerData: data)
  }

  /// A refusal.
  public static func declined(reason: String, _ data: IssuerData = IssuerData()) -> AuthorizationResponse {
    AuthorizationResponse(.declined(reason: reason), issuerData: data)
  }

  /// The response of a host that cannot decide.
  public static func unknownCard(reason: String) -> AuthorizationResponse {
    AuthorizationResponse(.unknownCard(reason: reason))
  }

  /// The response as a terminal takes it.
  var hostResponse: HostResponse {
    let verdict: HostResponse.Verdict =
      switch decision {
      case .approved: .approved
      case .declined: .declined
      case .unknownCard: .undecided
      }
    return HostResponse(verdict, data: issuerData)
  }
}

extension AuthorizationResponse {
  /// The response as the directive `host` of a transcript: `approved CODE`, `declined REASON` or `unknown REASON`, with the
  /// issuer's data for the card as data objects in brackets behind it: `approved CODE [8A023030]`.
  public var recorded: String {
    let data = issuerData.encoded
    return text + (data.isEmpty ? "" : " [\(data.hex)]")
  }

  /// The decision in words, as `recorded` begins.
  public var text: String {
    switch decision {
    case .approved(let code): "approved \(code)"
    case .declined(let reason): "declined \(reason)"
    case .unknownCard(let reason): "unknown \(reason)"
    }
  }

  /// Reads the directive `host` of a transcript; any other text is an unknown card. Recordings of earlier versions have no
  /// brackets.
  public init(recorded text: String) {
    let (text, data) = Self.split(text)
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    let decision: Decision =
      switch words.first {
      case "approved": .approved(code: rest)
      case "declined": .declined(reason: rest)
      default: .unknownCard(reason: rest)
      }
    self.init(decision, issuerData: data)
  }

  // Brackets that hold no hexadecimal digits belong to the reason.
  private static func split(_ text: String) -> (text: String, data: IssuerData) {
    guard text.hasSuffix("]"), let start = text.lastIndex(of: "["), text[..<start].hasSuffix(" "),
      let octets = try? [UInt8](hex: String(text[start...].dropFirst().dropLast())), !octets.isEmpty
    else { return (text, IssuerData()) }
    return (String(text[..<start].dropLast()), IssuerData(parsing: octets))
  }
}

/// No host: every online request stays one, with the data that a host would get.
public struct NoHost: AuthorizationHost {
  /// Creates a host that knows no card.
  public init() {}

  /// Returns `unknownCard`.
  public func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    .unknownCard(reason: "there is no host to ask")
  }
}

/// The host of a recording: it gives the recorded response to every request.
public struct RecordedHost: AuthorizationHost {
  /// The response.
  public let answer: AuthorizationResponse

  /// Creates a host that gives one response.
  ///
  /// - Parameter text: The directive `host` of a transcript; nil for a recording without a host.
  public init(_ text: String?) {
    answer = AuthorizationResponse(recorded: text ?? "")
  }

  /// Returns the recorded response.
  public func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse { answer }
}

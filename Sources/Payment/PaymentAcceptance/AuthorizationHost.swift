public import EMVTerminal

/// The port to the host that decides on online requests: a test issuer, or an acquirer's test host.
public protocol AuthorizationHost: Sendable {
  /// Decides. May block. Called after the card's last response, on the thread that drives the card.
  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse
}

/// The response of a host.
public enum AuthorizationResponse: Hashable, Sendable {
  /// Approved, with the authorisation code, tag 89: six characters.
  case approved(code: String)
  /// Declined; the reason is a sentence for the tester.
  case declined(reason: String)
  /// The host does not know the card, or there is no host: the outcome stays an online request.
  case unknownCard(reason: String)

  var verdict: HostResponse.Verdict {
    switch self {
    case .approved: .approved
    case .declined: .declined
    case .unknownCard: .undecided
    }
  }
}

extension AuthorizationResponse {
  /// The response as the directive `host` of a transcript: `approved CODE`, `declined REASON` or `unknown REASON`.
  public var recorded: String {
    switch self {
    case .approved(let code): "approved \(code)"
    case .declined(let reason): "declined \(reason)"
    case .unknownCard(let reason): "unknown \(reason)"
    }
  }

  /// Reads the directive `host` of a transcript; any other text is an unknown card.
  public init(recorded text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    switch words.first {
    case "approved": self = .approved(code: rest)
    case "declined": self = .declined(reason: rest)
    default: self = .unknownCard(reason: rest)
    }
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

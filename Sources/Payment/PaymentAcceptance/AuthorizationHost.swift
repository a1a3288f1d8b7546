public import EMVTerminal

/// The port to whoever decides on an online request: a test issuer, or an acquirer's test host.
public protocol AuthorizationHost: Sendable {
  /// Decides. May block; called on the thread that drives the card, after the card's last answer.
  func authorize(_ request: AuthorizationRequest) -> AuthorizationAnswer
}

/// What a host said.
public enum AuthorizationAnswer: Hashable, Sendable {
  /// Approved, with the authorisation code, tag 89: six characters.
  case approved(code: String)
  /// Declined; the reason is a sentence for the tester.
  case declined(reason: String)
  /// The host does not know the card, or there is no host: the payment stays an online request.
  case unknownCard(reason: String)

  var verdict: TerminalTransaction.HostVerdict {
    switch self {
    case .approved: .approved
    case .declined: .declined
    case .unknownCard: .undecided
    }
  }
}

/// No host at all: every online request stays one, with the data that a host would get.
public struct NoHost: AuthorizationHost {
  /// Creates the host that is none.
  public init() {}

  /// Knows no card.
  public func authorize(_ request: AuthorizationRequest) -> AuthorizationAnswer {
    .unknownCard(reason: "there is no host to ask")
  }
}

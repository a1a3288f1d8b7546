/// The host's response to an online request.
public struct HostResponse: Hashable, Sendable {
  /// The decision.
  public enum Verdict: Hashable, Sendable {
    /// The payment is approved.
    case approved
    /// The payment is declined.
    case declined
    /// No host could decide: the payment stays an online request.
    case undecided
  }

  /// The decision.
  public let verdict: Verdict
  /// The data for the card: tags 8A, 91, 71 and 72.
  public let data: IssuerData

  /// Creates a response.
  public init(_ verdict: Verdict, data: IssuerData = IssuerData()) {
    self.verdict = verdict
    self.data = data
  }

  /// The outcome that the verdict makes of an online request, for a kernel that does not need the card for it.
  public func outcome(of request: AuthorizationRequest) -> PaymentOutcome {
    switch verdict {
    case .approved: .approved(request)
    case .declined: .declined(request, StepFailure(.authorization, .declinedByHost))
    case .undecided: .onlineRequest(request)
    }
  }
}

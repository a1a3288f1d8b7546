public import ISO7816

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
  /// Tag 91: issuer authentication data, 8 to 16 bytes, or nil.
  public let issuerAuthenticationData: [UInt8]?
  /// Templates 71 and 72: issuer scripts, in the order in which they came.
  public let scripts: [TLVNode]

  /// Creates a response.
  public init(_ verdict: Verdict, issuerAuthenticationData: [UInt8]? = nil, scripts: [TLVNode] = []) {
    self.verdict = verdict
    self.issuerAuthenticationData = issuerAuthenticationData
    self.scripts = scripts
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

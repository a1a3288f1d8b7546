public import EMVTerminal

/// What came of a payment whose last tap went through to an outcome.
public struct PaymentReceipt: Sendable {
  /// What cardholder and till are told, the cryptogram and the data record included.
  public let outcome: PaymentOutcome
  /// What the host said; nil when it was not asked.
  public let answer: AuthorizationAnswer?
  /// The application that was selected last; nil when there was none.
  public let application: SelectedApplication?
  /// The steps that failed on the way, in order.
  public let failures: [StepFailure]
  /// Everything that went over the wire, in order.
  public let exchanges: [Exchange]
  /// The taps after which the payment was tried again, in order; empty when the first tap was the last.
  public let restarts: [Restart]

  /// What the display says.
  public var message: CardholderMessage { outcome.message }

  /// The authorisation code of an approval, or nil.
  public var authorizationCode: String? {
    if case .approved(let code)? = answer { code } else { nil }
  }

  /// The time that card and link took for all exchanges together, in nanoseconds.
  public var cardNanoseconds: Int64 { exchanges.reduce(0) { $0 &+ $1.nanoseconds } }
}

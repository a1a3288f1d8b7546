public import EMVTerminal

/// A payment whose last tap ended in an outcome.
public struct PaymentReceipt: Sendable {
  /// The outcome for cardholder and point of sale, with the cryptogram and the data record.
  public let outcome: PaymentOutcome
  /// The host's response; nil when it was not asked.
  public let answer: AuthorizationResponse?
  /// The application that was selected last; nil when none was.
  public let application: SelectedApplication?
  /// The steps that failed, in order.
  public let failures: [StepFailure]
  /// What went over the wire.
  public let record: PaymentRecord

  /// All exchanges, in order.
  public var exchanges: [Exchange] { record.exchanges }
  /// The taps after which the payment was tried again, in order.
  public var restarts: [Restart] { record.restarts }
  /// The message on the display.
  public var message: CardholderMessage { outcome.message }

  /// The authorisation code of an approval, or nil.
  public var authorizationCode: String? {
    if case .approved(let code)? = answer?.decision { code } else { nil }
  }

  /// The time that card and link took for all exchanges together, in nanoseconds.
  public var cardNanoseconds: Int64 { record.cardNanoseconds }
}

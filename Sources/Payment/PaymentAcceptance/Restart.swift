public import EMVTerminal

/// A tap after which the same payment was tried again.
public struct Restart: Hashable, Sendable {
  /// Where the payment went on: start B.
  public let start: PaymentOutcome.Restart
  /// What the cardholder was told after the tap: see the phone, or present the card again.
  public let kind: PaymentOutcome.Kind
  /// What the display said.
  public let message: CardholderMessage
  /// The step that failed; nil when none did.
  public let failure: StepFailure?
  /// How many exchanges there were until then, all taps together.
  public let exchangeCount: Int
}

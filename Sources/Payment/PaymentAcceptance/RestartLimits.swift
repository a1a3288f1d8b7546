public import EMVTerminal

/// How often and for how long one payment is tried again after "see phone" and "present card again".
///
/// No book sets these limits: EMV Contactless Book A leaves them to the point of sale.
public struct RestartLimits: Hashable, Sendable {
  /// The number of taps after the first, 0 or more.
  public var count: Int
  /// The time from the first wait for a card; no tap begins after it.
  public var duration: Duration

  /// Creates limits.
  ///
  /// - Parameter count: 0 or more; a negative number traps.
  public init(count: Int = 3, duration: Duration = .seconds(60)) {
    precondition(count >= 0, "a payment restarts 0 times or more, not \(count)")
    self.count = count
    self.duration = duration
  }
}

/// A tap after which the same payment was tried again.
public struct Restart: Hashable, Sendable {
  /// Where the payment continued: start B of EMV Contactless Book A.
  public let start: PaymentOutcome.Restart
  /// The outcome of the tap: see phone, or try again.
  public let kind: PaymentOutcome.Kind
  /// The message on the display after the tap.
  public let message: CardholderMessage
  /// The step that failed; nil when none did.
  public let failure: StepFailure?
  /// The number of exchanges of the payment until then, all taps together.
  public let exchangeCount: Int
}

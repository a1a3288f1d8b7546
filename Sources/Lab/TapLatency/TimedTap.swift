public import PaymentAcceptance

/// One measured payment.
public struct TimedTap: Sendable {
  /// The payment, with its exchanges in time.
  public let record: PaymentRecord
  /// The card's part of each exchange in nanoseconds; empty when card and link cannot be told apart.
  public let cardTimes: [Int64]
}

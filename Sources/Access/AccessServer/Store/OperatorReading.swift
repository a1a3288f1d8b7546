/// What only the operator's page reads: lists of all users, all pending operations and all payments, in pages.
public protocol OperatorReading {
  /// A page of all users, ordered by name.
  ///
  /// - Parameters:
  ///   - name: The page begins after this name; nil for the first page.
  ///   - limit: The most records of the page, at least 1.
  func users(after name: String?, limit: Int) throws(AccessStoreError) -> [UserRecord]
  /// A page of the out-of-band tokens that are neither redeemed nor expired, ordered by digest.
  ///
  /// - Parameters:
  ///   - moment: A token is expired unless its `expiresAt` is after this moment.
  ///   - digest: The page begins after this digest; nil for the first page.
  ///   - limit: The most records of the page, at least 1.
  func pendingTokens(
    at moment: Int64, after digest: TokenDigest?, limit: Int
  ) throws(AccessStoreError) -> [OutOfBandTokenRecord]
  /// A page of the payments of all cards, newest first.
  ///
  /// - Parameters:
  ///   - number: The page begins with the payment before the one with this number; nil for the newest.
  ///   - limit: The most records of the page, at least 1.
  func payments(before number: Int64?, limit: Int) throws(AccessStoreError) -> [NumberedPayment]
}

/// A payment with its place in the order of all payments.
public struct NumberedPayment: Hashable, Sendable {
  /// The number, which increases with each payment that the store appends.
  public var number: Int64
  /// The payment.
  public var payment: CardPaymentRecord

  /// Creates a numbered payment.
  public init(number: Int64, payment: CardPaymentRecord) { (self.number, self.payment) = (number, payment) }
}

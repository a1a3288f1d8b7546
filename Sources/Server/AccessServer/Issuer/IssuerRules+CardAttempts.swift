internal import AccessMessages
internal import EMVData
internal import ServerStore

/// The payments that were not approved, with their reason, for the operator. Any client can cause them, so the records are limited.
extension IssuerRules {
  /// How long they are listed: 30 days, in milliseconds.
  static let attemptPeriod: Int64 = 30 * 86_400_000
  /// The period in which they are counted: one day, in milliseconds.
  private static let attemptCountPeriod: Int64 = 86_400_000

  /// Records a payment that is not approved.
  ///
  /// - Parameters:
  ///   - number: The account number, of which the last four digits are kept.
  ///   - card: The identifier of the card; nil for an account number without a card.
  func recordAttempt(
    _ body: PaymentAuthorizationRequest, _ number: PrimaryAccountNumber, of card: String?, _ responseCode: String,
    _ reason: String
  ) throws(AccessError) {
    let subject: FailureSubject = card.map { .cardAttempts(card: $0) } ?? .unknownCards(address: network)
    let limit = card == nil ? RecordLimits.attemptsPerAddress : RecordLimits.attemptsPerCard
    guard try countFailure(of: subject, period: Self.attemptCountPeriod) <= limit else { return }
    try transaction.save(
      CardAttemptRecord(
        at: now, card: card, lastDigits: String(number.exposedDigits.suffix(SearchField.digitCount)),
        amount: body.amount, currency: body.currency, responseCode: responseCode, reason: reason, address: address,
        expiresAt: now + Self.attemptPeriod))
  }
}

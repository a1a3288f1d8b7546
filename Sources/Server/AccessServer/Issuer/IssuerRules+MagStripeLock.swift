internal import ServerStore

/// The lock of mag-stripe mode, whose codes (CVC3) have so few digits that they can be guessed.
extension IssuerRules {
  /// The wrong codes of a card in `codePeriod` after which its mag-stripe mode is locked.
  static let codeLimit = 20
  /// The period in which wrong codes are counted: one day, in milliseconds.
  static let codePeriod: Int64 = 86_400_000
  /// The most declined payments of a card in `codePeriod` that the list of payments has.
  static let shownLimit = 100

  /// Whether mag-stripe mode of a card is locked.
  func isMagStripeLocked(_ card: String) throws(AccessError) -> Bool {
    guard let codes = try transaction.failures(of: FailureSubject.codes(card: card).text) else { return false }
    return codes.expiresAt > now && codes.count >= Self.codeLimit
  }

  /// Counts a wrong code. The last allowed one locks mag-stripe mode.
  func countWrongCode(of card: String) throws(AccessError) {
    let subject = FailureSubject.codes(card: card)
    guard try countFailure(of: subject, period: Self.codePeriod) >= Self.codeLimit else { return }
    // The lock does not end by time.
    try transaction.save(FailureRecord(subject: subject.text, count: Self.codeLimit, expiresAt: .max))
  }

  /// Ends the lock and the count of wrong codes.
  func unlockMagStripe(_ card: String) throws(AccessError) {
    try transaction.remove(FailureRecord.self, FailureSubject.codes(card: card).text)
  }
}

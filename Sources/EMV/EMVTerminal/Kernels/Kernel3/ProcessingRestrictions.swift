public import EMVData

/// The processing restrictions of kernel 3 for an offline approval: the expiry date (EMV Contactless Book C-3 v2.11,
/// 5.5.1.1). The other restrictions of 5.5.1 are options of the acquirer and are not built.
public enum ProcessingRestrictions {
  /// The result of the check.
  public enum Verdict: Sendable {
    /// No restriction applies.
    case passed
    /// The host must decide.
    case goOnline
    /// The application has expired: declined.
    case expired
  }

  /// Checks the expiry date.
  ///
  /// - Parameters:
  ///   - cryptogram: Only an offline approval is checked: with an ARQC the issuer checks the date.
  ///   - expiry: Tag 5F24, or nil when the card gave none.
  ///   - today: The terminal's date.
  ///   - card: Tag 9F6C, or nil.
  public static func check(
    cryptogram: CryptogramType, expiry: TransactionDate?, today: TransactionDate, card: CardTransactionQualifiers?
  ) -> Verdict {
    guard cryptogram == .tc, let expiry, expiry < today else { return .passed }
    return card?.contains(.goOnlineIfExpired) == true ? .goOnline : .expired
  }
}

public import EMVData

/// What kernel 3 checks of an application before it believes an offline approval (EMV Contactless Book C-3 v2.11,
/// 5.5.1.1). The other restrictions of 5.5.1 are options of the acquirer and not built.
public enum ProcessingRestrictions {
  /// What the check leads to.
  public enum Verdict: Sendable {
    /// Nothing in the way.
    case passed
    /// The host must decide.
    case goOnline
    /// Declined.
    case expired
  }

  /// Checks the expiry date.
  ///
  /// - Parameters:
  ///   - cryptogram: Only an offline approval is checked: with a request cryptogram the issuer sees the date itself.
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

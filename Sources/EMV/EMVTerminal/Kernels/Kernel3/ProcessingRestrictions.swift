public import EMVData

/// The processing restrictions of kernel 3 for an offline approval: the expiry date, and the usage control for cash and
/// cashback (EMV Contactless Book C-3 v2.11, 5.5.1). The restrictions of 5.5.1.5, for ATMs, are not built.
public enum ProcessingRestrictions {
  /// The result of a check.
  public enum Verdict: Sendable {
    /// No restriction applies.
    case passed
    /// The host must decide.
    case goOnline
    /// The application has expired: declined.
    case expired
    /// The card wants another interface for this payment.
    case otherInterface
    /// The issuer does not allow this payment: declined.
    case notAllowed
  }

  /// Checks the expiry date (5.5.1.1). An approval without a date counts as expired.
  ///
  /// - Parameters:
  ///   - cryptogram: Only an offline approval is checked: with an ARQC the issuer checks the date.
  ///   - expiry: Tag 5F24, or nil when the card gave none.
  ///   - today: The terminal's date.
  ///   - card: Tag 9F6C, or nil.
  public static func check(
    cryptogram: CryptogramType, expiry: TransactionDate?, today: TransactionDate, card: CardTransactionQualifiers?
  ) -> Verdict {
    guard cryptogram == .tc else { return .passed }
    if let expiry, expiry >= today { return .passed }
    return card?.contains(.goOnlineIfExpired) == true ? .goOnline : .expired
  }

  /// Checks the usage control for cash and cashback (5.5.1.3 and 5.5.1.4), which are options of the acquirer.
  ///
  /// - Parameters:
  ///   - type: Tag 9C.
  ///   - hasCashback: Whether a part of the amount is paid out in cash.
  ///   - control: Tag 9F07, two bytes; nil when the card gave none: nothing is restricted then.
  ///   - issuerCountry: Tag 5F28, or nil.
  ///   - terminalCountry: Tag 9F1A.
  ///   - card: Tag 9F6C, or nil.
  public static func checkUsage(
    type: TransactionType, hasCashback: Bool, control: [UInt8]?, issuerCountry: [UInt8]?, terminalCountry: [UInt8],
    card: CardTransactionQualifiers?
  ) -> Verdict {
    let isCash = [0x01, 0x17].contains(type.rawValue)
    guard isCash || hasCashback else { return .passed }
    guard let issuerCountry else { return .notAllowed }
    guard let control, control.count == 2 else { return .passed }
    let mask: UInt8 = issuerCountry == terminalCountry ? 0x80 : 0x40
    if isCash, control[0] & mask == 0 { return refused(card, .otherInterfaceForCash) }
    if hasCashback, control[1] & mask == 0 { return refused(card, .otherInterfaceForCashback) }
    return .passed
  }

  private static func refused(_ card: CardTransactionQualifiers?, _ bit: CardTransactionQualifiers) -> Verdict {
    card?.contains(bit) ?? true ? .otherInterface : .notAllowed
  }
}

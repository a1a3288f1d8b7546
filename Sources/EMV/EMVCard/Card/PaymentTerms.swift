internal import Octets

/// The amount, the currency and the type of a payment, as the card received them before its cryptogram.
///
/// A value is nil when neither the list of the cryptogram's command (CDOL1 or UDOL) nor the PDOL asks for it. Two terms
/// are the same when all three values are equal; a missing value equals only a missing value.
public struct PaymentTerms: Hashable, Sendable {
  /// Tag 9F02, as sent: its 12 decimal digits are the hexadecimal digits of this number, in the currency's minor unit.
  public let amountAuthorised: UInt64?
  /// Tag 5F2A, as sent: the 3 digits of ISO 4217 are the hexadecimal digits of this number, such as 0x978 for the euro.
  public let currencyCode: UInt64?
  /// Tag 9C, as sent: the first 2 digits of the ISO 8583 processing code, 0x00 for a purchase.
  public let transactionType: UInt64?

  /// Creates terms.
  public init(amountAuthorised: UInt64?, currencyCode: UInt64?, transactionType: UInt64?) {
    self.amountAuthorised = amountAuthorised
    self.currencyCode = currencyCode
    self.transactionType = transactionType
  }
}

extension PaymentTerms {
  /// Reads the terms from values that a terminal sent.
  ///
  /// - Parameters:
  ///   - list: The values of the command that asks for the cryptogram.
  ///   - options: Those of GET PROCESSING OPTIONS.
  init(_ layout: PaymentTermsLayout, list: Span<UInt8>, options: Span<UInt8>) {
    func number(_ field: PaymentTermsLayout.Field?) -> UInt64? {
      field.map { ($0.isInList ? list : options).integer(at: $0.offset, count: $0.count) }
    }
    self.init(
      amountAuthorised: number(layout.amountAuthorised), currencyCode: number(layout.currencyCode),
      transactionType: number(layout.transactionType))
  }
}

extension Card {
  /// Whether the arming allows a cryptogram for the terms of a command. Sets `refusal` when it does not.
  mutating func acceptsTerms(_ layout: PaymentTermsLayout) -> Bool {
    guard let agreed = use.terms else { return true }
    let terms = PaymentTerms(layout, list: listValues.span, options: optionsValues.span)
    if terms == agreed { return true }
    refusal = .differentTerms
    return false
  }
}

internal import EMVData
internal import ISO7816

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

/// The positions of the payment terms among the values that a terminal sends.
struct PaymentTermsLayout: Sendable {
  /// The position of one value.
  struct Field: Sendable {
    /// Whether the value is in the list of the cryptogram's command; otherwise it is in the PDOL.
    let isInList: Bool
    /// The offset of its first octet.
    let offset: Int
    /// Its length, 1...8 octets.
    let count: Int
  }

  let amountAuthorised: Field?
  let currencyCode: Field?
  let transactionType: Field?

  /// Finds the terms; the list comes before the PDOL, since the cryptogram covers its values.
  ///
  /// - Parameters:
  ///   - list: CDOL1 or the UDOL; nil for a cryptogram in the answer to GET PROCESSING OPTIONS.
  ///   - pdol: Tag 9F38.
  init(_ list: DataObjectList?, pdol: DataObjectList) {
    func field(_ tag: Tag) -> Field? {
      if let range = list?.range(of: tag), (1...8).contains(range.count) {
        return Field(isInList: true, offset: range.lowerBound, count: range.count)
      }
      guard let range = pdol.range(of: tag), (1...8).contains(range.count) else { return nil }
      return Field(isInList: false, offset: range.lowerBound, count: range.count)
    }
    amountAuthorised = field(.amountAuthorised)
    currencyCode = field(.transactionCurrencyCode)
    transactionType = field(.transactionType)
  }
}

extension Card {
  /// Reads the terms from the values that the terminal sent.
  func terms(_ layout: PaymentTermsLayout) -> PaymentTerms {
    PaymentTerms(
      amountAuthorised: number(layout.amountAuthorised), currencyCode: number(layout.currencyCode),
      transactionType: number(layout.transactionType))
  }

  private func number(_ field: PaymentTermsLayout.Field?) -> UInt64? {
    guard let field else { return nil }
    var number: UInt64 = 0
    for index in field.offset..<field.offset + field.count {
      number = number << 8 | UInt64(field.isInList ? listValues[index] : terminalValues[index])
    }
    return number
  }

  /// Whether the arming allows a cryptogram for these terms. Sets `refusal` when it does not.
  mutating func accepts(_ terms: PaymentTerms) -> Bool {
    guard let required = arming?.terms, required != terms else { return true }
    refusal = .differentTerms
    return false
  }
}

internal import EMVData
internal import ISO7816

/// The positions of the payment terms among the values that a terminal sends.
struct PaymentTermsLayout: Sendable {
  /// The position of one value.
  struct Field: Sendable {
    /// Whether the value is in the list of the cryptogram's command; otherwise it is in the PDOL.
    let isInList: Bool
    /// The offset of its first byte.
    let offset: Int
    /// Its length, 1...8 bytes.
    let count: Int
  }

  let amountAuthorised: Field?
  let currencyCode: Field?
  let transactionType: Field?

  /// Finds the terms, in the list before the PDOL, since the cryptogram covers the values of the list.
  ///
  /// - Parameters:
  ///   - list: CDOL1 or the UDOL; nil for a cryptogram in the response to GET PROCESSING OPTIONS.
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

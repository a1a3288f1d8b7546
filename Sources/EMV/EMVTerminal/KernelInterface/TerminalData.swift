internal import EMVData
public import ISO7816
internal import Octets

/// Data elements of the terminal: at most one value for each tag.
public struct TerminalData: Hashable, Sendable {
  private var values: [Tag: [UInt8]]

  /// Creates the data.
  public init(_ values: [Tag: [UInt8]] = [:]) { self.values = values }

  /// The value of a tag, or nil. Setting nil removes the tag.
  public subscript(tag: Tag) -> [UInt8]? {
    get { values[tag] }
    set { values[tag] = newValue }
  }

  /// Takes over all values of other data; they replace values of the same tag.
  public mutating func merge(_ other: TerminalData) { values.merge(other.values) { _, new in new } }
}

extension TerminalData {
  // The data elements that come from the payment request. Tag 95 is all zeros at first.
  init(_ request: PaymentRequest) {
    self.init([
      .amountAuthorised: request.amount.numeric,
      .amountOther: request.amountOther?.numeric ?? [UInt8](repeating: 0, count: 6),
      .transactionCurrencyCode: request.currency.octets,
      .transactionCurrencyExponent: [UInt8(truncatingIfNeeded: request.currency.exponent)],
      .transactionDate: request.date.numeric, .transactionTime: request.time.numeric,
      .transactionType: [request.type.rawValue],
      .terminalVerificationResults: TerminalVerificationResults().octets,
    ])
    // An amount beyond 32 bits has no binary form.
    self[.amountAuthorisedBinary] = UInt32(exactly: request.amount.minorUnits)?.bigEndianOctets
  }
}

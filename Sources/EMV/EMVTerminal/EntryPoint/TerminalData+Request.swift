internal import EMVData
internal import ISO7816
internal import Octets

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

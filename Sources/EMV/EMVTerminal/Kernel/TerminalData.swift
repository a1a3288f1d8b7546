internal import EMVData
internal import ISO7816

// The terminal's data elements for one payment with one application: what a card may ask for, and what a host gets.
struct TerminalData {
  private var values: [Tag: [UInt8]]

  init(
    _ request: PaymentRequest, _ configuration: TerminalConfiguration, _ application: SelectedApplication,
    unpredictableNumber: [UInt8]
  ) {
    values = configuration.terminalData
    values[.amountAuthorised] = request.amount.numeric
    values[.amountOther] = request.amountOther?.numeric ?? [UInt8](repeating: 0, count: 6)
    values[.transactionCurrencyCode] = request.currency.octets
    values[.transactionCurrencyExponent] = [UInt8(truncatingIfNeeded: request.currency.exponent)]
    values[.transactionDate] = request.date.numeric
    values[.transactionTime] = request.time.numeric
    values[.transactionType] = [request.type.rawValue]
    values[.unpredictableNumber] = unpredictableNumber
    values[.terminalTransactionQualifiers] = Self.octets(application.candidate.combination.qualifiers.rawValue)
    // Kernel 3 sets no bit of the terminal verification results (Book C-3).
    values[.terminalVerificationResults] = TerminalVerificationResults().octets
    // The terminal's AID takes the name of the application that was selected (EMV 4.4 Book 1, 12.4).
    values[.applicationIdentifier] = application.name
    values[.amountAuthorisedBinary] = UInt32(exactly: request.amount.minorUnits).map(Self.octets)
  }

  func value(_ tag: Tag) -> [UInt8]? { values[tag] }

  private static func octets(_ value: UInt32) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}

internal import EMVData
internal import ISO7816
internal import Octets

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
    values[.terminalTransactionQualifiers] = application.candidate.combination.qualifiers.rawValue.bigEndianOctets
    // Kernel 3 sets no bit of the terminal verification results (Book C-3).
    values[.terminalVerificationResults] = TerminalVerificationResults().octets
    // The terminal's AID takes the name of the application that was selected (EMV 4.4 Book 1, 12.4).
    values[.applicationIdentifier] = application.name
    values[.amountAuthorisedBinary] = UInt32(exactly: request.amount.minorUnits)?.bigEndianOctets
    if let kernel2 = application.candidate.combination.combination.kernel2 {
      add(kernel2, isVerificationRequired: application.candidate.combination.isVerificationRequired)
    }
  }

  func value(_ tag: Tag) -> [UInt8]? { values[tag] }

  mutating func set(_ tag: Tag, _ value: [UInt8]) { values[tag] = value }

  // What kernel 2 found so far.
  var verificationResults: TerminalVerificationResults {
    get { TerminalVerificationResults(octets: values[.terminalVerificationResults] ?? []) }
    set { values[.terminalVerificationResults] = newValue.octets }
  }

  // Kernel 2: byte 2 of tag 9F33 and bit 2 of tag 9F7E depend on the amount. No public document says that both are
  // there from the start; open terminals set the first before GENERATE AC.
  private mutating func add(_ kernel2: Kernel2Configuration, isVerificationRequired: Bool) {
    values[.terminalTransactionQualifiers] = nil
    values[.terminalCapabilities] = [
      kernel2.cardDataInput, kernel2.cvmCapability(isVerificationRequired), kernel2.security,
    ]
    values[.mobileSupportIndicator] = [kernel2.mobileSupport & ~0x02 | (isVerificationRequired ? 0x02 : 0)]
    values[.terminalApplicationVersion] = kernel2.applicationVersion
    values[.magStripeVersion] = kernel2.magStripeVersion
  }
}

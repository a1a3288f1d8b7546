internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON

/// Kernel 4, American Express. EMV Contactless Book C-4 is in no public library: the flow is that of EMV 4.4 Book 3, with the
/// data elements that public lists and a vendor's manual describe. A public recording of a card in EMV mode ends as recorded.
///
/// Not built, because no public document has them: a second GENERATE AC, delayed authorisation and transit, and how the
/// cryptogram of mag-stripe mode is put into track 2; the host gets it as a data element. Nor are SDA and DDA built.
public struct Kernel4: ConfiguredKernel {
  /// The registration. `kernel4` of an application holds the settings.
  public static let definition = KernelDefinition(
    KernelIdentifier(4),
    profileKeys: [
      Kernel4Configuration.key, ReaderLimits.key(further: [RiskManagement.thresholdKey]), RiskManagement.key,
    ],
    phases: [.init(.generateCryptogram, shortName: "genac"), .init(.getData, shortName: "getdata")],
    // GET PROCESSING OPTIONS, the records, two counters, one cryptogram.
    maximumCommandCount: 1 + ApplicationFileLocator.maximumRecords + 2 + 1,
    recordedMembers: Kernel4Configuration.recordedMembers,
    read: { application, currencies in Kernel4(reading: &application, currencies) })

  /// The settings.
  public let configuration: Kernel4Configuration
  /// The limits. From `transaction` on no contactless payment is possible, from `cvmRequired` on the cardholder must be
  /// verified; an amount above `floor` sets a bit of tag 95.
  public let limits: ReaderLimits
  /// The risk management; nil for none.
  public let riskManagement: RiskManagement?

  /// Sets tags 9F6E and 9F6D for a payment. The kernel sets "CVM required" in both.
  ///
  /// - Throws: `StepFailure` for an amount at the transaction limit or above it.
  public func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData {
    guard !limits.isTransactionLimitReached(by: request) else { throw StepFailure(.preprocessing, .transactionLimit) }
    return data(isVerificationRequired: limits.isVerificationRequired(for: request))
  }

  /// The same data, with no verification required.
  public func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData {
    data(isVerificationRequired: false)
  }

  private func data(isVerificationRequired: Bool) -> TerminalData {
    var capabilities = configuration.readerCapabilities
    var type = configuration.contactlessCapabilities
    if isVerificationRequired {
      capabilities.insert(.cvmRequired)
      type |= Kernel4Configuration.cvmRequired
    }
    return TerminalData([
      .enhancedReaderCapabilities: capabilities.octets, .contactlessReaderCapabilities: [type],
      .terminalApplicationVersion: configuration.applicationVersion,
    ])
  }

  /// Creates the machine for one application.
  public func activate(_ application: SelectedApplication) -> any KernelMachine {
    ChipMachine(rules: self, application: application)
  }

  private init(reading application: inout ObjectReader, _ currencies: [Currency]) {
    configuration = Kernel4Configuration(reading: &application)
    limits = ReaderLimits(reading: &application, currencies, further: [RiskManagement.thresholdKey])
    riskManagement = RiskManagement.read(&application, limits)
  }
}

// Tags of American Express. Some mean something else to other kernels.
extension Tag {
  /// 9F6D: contactless reader capabilities, terminal.
  static let contactlessReaderCapabilities: Tag = 0x9F6D
  /// 9F6E: enhanced contactless reader capabilities, terminal.
  static let enhancedReaderCapabilities: Tag = 0x9F6E
  /// 9F70: card interface and payment capabilities, card.
  static let cardInterfaceCapabilities: Tag = 0x9F70
  /// 9F71: mobile CVM results, card.
  static let mobileVerificationResults: Tag = 0x9F71
}

// Failures that only this kernel has.
extension StepFailure.Code {
  /// The card answered 6984 to GET PROCESSING OPTIONS a second time in one payment.
  public static let holderNotVerifiedTwice = Self(
    "holderNotVerifiedTwice", "the phone asked for a verification of its holder (6984) a second time in this payment")
}

internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON

/// Kernel 5, JCB, in EMV mode. EMV Contactless Book C-5 is in no public library: the flow is that of EMV 4.4 Book 3, with the data
/// elements that public lists and a vendor's manual describe.
///
/// Not built, because no public document has them: legacy and mag-stripe mode (the commands ECHO and GET MAGSTRIPE DATA), the
/// recovery of torn payments, the issuer update, transit.
public struct Kernel5: ConfiguredKernel {
  /// The registration. `kernel5` of an application holds the settings.
  public static let definition = KernelDefinition(
    KernelIdentifier(5),
    profileKeys: [
      Kernel5Configuration.key, ReaderLimits.key(further: furtherLimits), RiskManagement.key,
    ],
    phases: [.init(.generateCryptogram, shortName: "genac"), .init(.getData, shortName: "getdata")],
    // GET PROCESSING OPTIONS, the records, two counters, one cryptogram.
    maximumCommandCount: 1 + ApplicationFileLocator.maximumRecords + 2 + 1,
    recordedMembers: Kernel5Configuration.recordedMembers,
    read: { application, currencies in Kernel5(reading: &application, currencies) })

  /// The settings.
  public let configuration: Kernel5Configuration
  /// The limits. From `transaction` on no payment is possible with a card that does not verify its holder on the device, from
  /// `transactionOnDevice` on none with a device that does. From `cvmRequired` on the cardholder must be verified; an amount
  /// above `floor` sets a bit of tag 95.
  public let limits: ReaderLimits
  /// The risk management; nil for none.
  public let riskManagement: RiskManagement?

  /// Sets tags 9F52 and 9F53 for a payment. The kernel sets "CVM required".
  ///
  /// - Throws: `StepFailure` for an amount that reaches both transaction limits: no card can pay it.
  public func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData {
    guard !isLimitReached(by: request, isOnDevice: false) || !isLimitReached(by: request, isOnDevice: true) else {
      throw StepFailure(.preprocessing, .transactionLimit)
    }
    return data(isVerificationRequired: limits.isVerificationRequired(for: request))
  }

  /// The same data, with no verification required.
  public func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData {
    data(isVerificationRequired: false)
  }

  private func data(isVerificationRequired: Bool) -> TerminalData {
    var profile = configuration.interchangeProfile
    if isVerificationRequired { profile.insert(.cvmRequired) }
    return TerminalData([
      // Bit 2: EMV mode.
      .terminalCompatibility: [0x02],
      .terminalInterchangeProfile: profile.octets,
      .terminalApplicationVersion: configuration.applicationVersion,
    ])
  }

  /// Creates the machine for one application.
  public func activate(_ application: SelectedApplication) -> any KernelMachine {
    ChipMachine(rules: self, application: application)
  }
}

// The limits.
extension Kernel5 {
  private static let transactionOnDeviceKey = ProfileKey(
    "transactionOnDevice", .amount,
    help: "From this amount on, no payment with a device that verifies its holder.", source: "a vendor's manual")
  private static let furtherLimits = [transactionOnDeviceKey, RiskManagement.thresholdKey]

  private init(reading application: inout ObjectReader, _ currencies: [Currency]) {
    configuration = Kernel5Configuration(reading: &application)
    limits = ReaderLimits(reading: &application, currencies, further: Self.furtherLimits)
    riskManagement = RiskManagement.read(&application, limits)
    if configuration.options.contains(.randomSelection) != (riskManagement?.randomSelection != nil) {
      application.note(
        RiskManagement.key.name, "randomSelection and bit 4 of combinationOptions go together: both or neither")
    }
  }

  func isLimitReached(by request: PaymentRequest, isOnDevice: Bool) -> Bool {
    guard isOnDevice else { return limits.isTransactionLimitReached(by: request) }
    return limits[request].further[Self.transactionOnDeviceKey.name].map { request.amount.minorUnits >= $0 } ?? false
  }
}

// Tags of JCB. Some mean something else to other kernels.
extension Tag {
  /// 9F50: cardholder verification status, card.
  static let cardholderVerificationStatus: Tag = 0x9F50
  /// 9F52: terminal compatibility indicator, terminal.
  static let terminalCompatibility: Tag = 0x9F52
  /// 9F53: terminal interchange profile, terminal.
  static let terminalInterchangeProfile: Tag = 0x9F53
  /// 9F5F: offline balance, card.
  static let offlineBalance: Tag = 0x9F5F
}

internal import Documents
public import EMVData
internal import ISO7816
internal import JSON

/// Kernel 3, Visa (EMV Contactless Book C-3 v2.11), with online authorisation and with offline approval after fDDA or SDA.
/// Not built: mag-stripe mode, the restrictions for ATMs.
public struct Kernel3: ConfiguredKernel {
  /// The registration. `qualifiers` of an application is tag 9F66.
  public static let definition = KernelDefinition(
    KernelIdentifier(3), profileKeys: keys,
    phases: [
      .init(.externalAuthenticate, shortName: "extauth"), .init(.issuerScript, shortName: "script"),
    ],
    maximumCommandCount: maximumCommandCount,
    recordedMembers: recordedQualifiers,
    read: { application, currencies in Kernel3(reading: &application, currencies) })

  /// Tag 9F66 as the profile has it.
  public let qualifiers: TerminalTransactionQualifiers
  /// Whether an amount of one unit of the currency requires an online cryptogram.
  public let statusCheck: Bool
  /// Whether tag 9F07 of a card is checked for cash and cashback (5.5.1.3 and 5.5.1.4).
  public let checksUsage: Bool
  /// The limits. From `transaction` on no contactless payment is possible, from `cvmRequired` on the cardholder must be
  /// verified, above `floor` an online cryptogram is required.
  public let limits: ReaderLimits
  // Kernel 7 has the flow of kernel 3 with other rules for some data objects.
  let rules: QualifierRules

  /// Sets tag 9F66 for a payment.
  public func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData {
    let qualifiers = try qualifiers.prepared(for: request, limits[request], statusCheck: statusCheck)
    return TerminalData([.terminalTransactionQualifiers: qualifiers.octets])
  }

  /// Tag 9F66 with neither of the bits that pre-processing sets.
  public func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData {
    TerminalData([.terminalTransactionQualifiers: qualifiers.withoutPreprocessing.octets])
  }

  /// Requires that the card asks for tag 9F66 (Book B v2.11, 3.3.3.6).
  public func check(_ application: SelectedApplication) throws(StepFailure) {
    guard application.processingOptions.range(of: .terminalTransactionQualifiers) != nil else {
      throw StepFailure(.selectApplication, .qualifiersNotWanted)
    }
  }

  /// Creates the machine for one application.
  public func activate(_ application: SelectedApplication) -> any KernelMachine {
    Kernel3Machine(kernel: self, application: application)
  }
}

// The kernel's keys in a terminal profile.
extension Kernel3 {
  static let keys = [qualifiersKey, statusCheckKey, usageControlKey, ReaderLimits.key()]
  static let maximumCommandCount = max(1 + ApplicationFileLocator.maximumRecords, IssuerUpdate.maximumCommandCount)

  // Tag 9F66 of a recorded terminal.
  static let recordedQualifiers = KernelDefinition.recordedMembers(qualifiersKey.name, .terminalTransactionQualifiers)

  static let qualifiersKey = ProfileKey(
    "qualifiers", .octets, isRequired: true, range: 4...4,
    help: """
      Tag 9F66. Byte 2 bits 8 (online cryptogram required) and 7 (CVM required) are set anew for each payment. \
      Byte 1 bit 4: offline-only reader; bit 1: cards are authenticated for online payments too. Byte 3 \
      bit 8: the card is presented again for the issuer's response. Mag-stripe mode is not built and must be 0.
      """,
    source: "EMV Contactless Book C-3 v2.11, annex A")
  static let statusCheckKey = ProfileKey(
    "statusCheck", .flag, default: false, help: "Whether an amount of one unit requires an online cryptogram.",
    source: "EMV Contactless Book B v2.11, 3.1.1.3")

  private static let usageControlKey = ProfileKey(
    "usageControl", .flag, default: false,
    help: "Whether tag 9F07 of the card is checked before an offline approval with cash or cashback.",
    source: "EMV Contactless Book C-3 v2.11, 5.5.1.3 and 5.5.1.4")

  init(reading application: inout ObjectReader, _ currencies: [Currency], rules: QualifierRules = .kernel3) {
    self.rules = rules
    qualifiers = Self.readQualifiers(&application)
    statusCheck = application.flag(Self.statusCheckKey) ?? false
    checksUsage = application.flag(Self.usageControlKey) ?? false
    limits = ReaderLimits(reading: &application, currencies)
  }

  // Reads `qualifiers` of a kernel whose only mode is EMV mode.
  static func readQualifiers(_ application: inout ObjectReader) -> TerminalTransactionQualifiers {
    let key = qualifiersKey.name
    let qualifiers = TerminalTransactionQualifiers(octets: application.octets(key, count: 4)) ?? []
    if !qualifiers.contains(.emvMode) {
      application.note(key, "EMV mode (byte 1 bit 6) must be set: it is the only mode of this kernel")
    }
    if qualifiers.contains(.magStripeMode) {
      application.note(key, "mag-stripe mode (byte 1 bit 8) is set, but it is not built")
    }
    return qualifiers
  }
}

extension TerminalTransactionQualifiers {
  // Byte 1 bit 8, which a reader may have, but not these kernels.
  fileprivate static let magStripeMode = Self(rawValue: 0x8000_0000)
}

// Failures that only this kernel has.
extension StepFailure.Code {
  /// The processing options data object list does not ask for tag 9F66 (Book B v2.11, 3.3.3.6).
  public static let qualifiersNotWanted = Self(
    "qualifiersNotWanted", "the list of wanted data (9F38) lacks tag 9F66, which the kernel needs")
  /// The payment needs a host, and the reader is offline only: tag 9F66 byte 1 bit 4.
  public static let onlineNotPossible = Self(
    "onlineNotPossible", "the payment needs a host, and the reader is offline only")
  /// Tag 9F07 does not allow the payment, or tag 5F28 is missing (Book C-3 v2.11, 5.5.1.3 and 5.5.1.4).
  public static let usageNotAllowed = Self(
    "usageNotAllowed", "the card's usage control does not allow cash or cashback here")
  /// The card is on the terminal's exception list (Book C-3 v2.11, 5.5.1.2).
  public static let onExceptionList = Self("onExceptionList", "the card is on the exception list of the terminal")
  /// The application has expired and may not go online (Book C-3 v2.11, 5.5.1.1).
  public static let expired = Self(
    "expired", "the application has expired, or gives no expiry date, and does not ask to go online")
  /// The cardholder must be verified, and card and reader have no method in common (Book C-3, 5.7.1).
  public static let verificationRequired = Self(
    "verificationRequired", "a cardholder verification is required, and card and terminal have none in common")
  /// The card reports a verification on the device, but no cryptogram or signature covers the report (Book C-3,
  /// 5.7.1.2).
  public static let verificationNotTrusted = Self(
    "verificationNotTrusted",
    "the card reports a verification on the device, but no cryptogram or signature covers the report")
}

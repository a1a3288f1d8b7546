internal import Documents
public import EMVData
internal import JSON

/// Kernel 6, Discover D-PAS, in EMV mode with CDA. EMV Contactless Book C-6 was not read: tag 9F66 and the limits follow a
/// vendor's manual and Entry Point, everything else EMV 4.4 Books 2 and 3 with the data of a public card profile.
///
/// Tag 9F71 of the card, its processing requirements, is read and goes to the host. Its bits are in no public document, so that
/// the kernel decides nothing with them: the action codes of the card and its list of verification methods decide.
///
/// Not built, because no public document describes them: mag-stripe mode, verification on the device, data storage, the
/// recovery of torn payments, transit, deferred authorisation.
public struct Kernel6: ConfiguredKernel {
  /// The registration. `qualifiers` of an application is tag 9F66.
  public static let definition = KernelDefinition(
    KernelIdentifier(6), profileKeys: [Kernel3.qualifiersKey, Kernel3.statusCheckKey, ReaderLimits.key()],
    // GET PROCESSING OPTIONS, the records, one cryptogram.
    maximumCommandCount: 1 + ApplicationFileLocator.maximumRecords + 1,
    recordedMembers: Kernel3.recordedQualifiers,
    read: { application, currencies in Kernel6(reading: &application, currencies) })

  /// Tag 9F66 as the profile has it.
  public let qualifiers: TerminalTransactionQualifiers
  /// Whether an amount of one unit of the currency requires an online cryptogram.
  public let statusCheck: Bool
  /// The limits, compared with the amount as kernel 3 does.
  public let limits: ReaderLimits

  private init(reading application: inout ObjectReader, _ currencies: [Currency]) {
    qualifiers = Kernel3.readQualifiers(&application)
    statusCheck = application.flag(Kernel3.statusCheckKey) ?? false
    limits = ReaderLimits(reading: &application, currencies)
  }

  /// Sets tag 9F66 for a payment (EMV Contactless Book B v2.11, 3.1.1).
  public func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData {
    let qualifiers = try qualifiers.prepared(for: request, limits[request], statusCheck: statusCheck)
    return TerminalData([.terminalTransactionQualifiers: qualifiers.octets])
  }

  /// Tag 9F66 of the profile.
  public func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData {
    TerminalData([.terminalTransactionQualifiers: qualifiers.withoutPreprocessing.octets])
  }

  /// Creates the machine for one application.
  public func activate(_ application: SelectedApplication) -> any KernelMachine {
    ChipMachine(rules: self, application: application)
  }
}

internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON

/// Kernel 2, Mastercard. EMV Contactless Book C-2 is in no public library: the flow is put together from EMV 4.4 Books
/// 3 and 4, from public recordings, and from what open terminals agree on. Not built: data storage, balance reading,
/// PUT DATA.
public struct Kernel2: ConfiguredKernel {
  /// The registration. `kernel2` of an application holds the settings.
  public static let definition = KernelDefinition(
    KernelIdentifier(2),
    profileKeys: [
      Kernel2Configuration.key, ReaderLimits.key(further: furtherLimits), statusCheckKey, RiskManagement.key,
    ],
    phases: [
      .init(.relayResistance, shortName: "rrp"), .init(.generateCryptogram, shortName: "genac"),
      .init(.computeChecksum, shortName: "ccc"), .init(.externalAuthenticate, shortName: "extauth"),
      .init(.issuerScript, shortName: "script"), .init(.secondCryptogram, shortName: "genac2"),
      .init(.getData, shortName: "getdata"), .init(.recoverCryptogram, shortName: "recover"),
    ],
    // GET PROCESSING OPTIONS, three exchanges of the relay resistance protocol, the records, two counters, a
    // recovery, one cryptogram, and the commands for the host's response.
    maximumCommandCount: 1 + 3 + ApplicationFileLocator.maximumRecords + 2 + 2 + IssuerUpdate.maximumCommandCount,
    read: { application, currencies in Kernel2(reading: &application, currencies) })

  /// The settings.
  public let configuration: Kernel2Configuration
  /// The limits. An amount is compared as *above* each of them: `transaction` is tag DF8124, for cards that do not
  /// verify their holder; `transactionOnDevice` DF8125, for devices that do; `cvmRequired` DF8126; `floor` DF8123.
  public let limits: ReaderLimits
  /// The risk management; nil for none.
  public let riskManagement: RiskManagement?

  /// Sets tags 9F33, 9F7E, 9F09 and 9F6D for a payment.
  ///
  /// - Throws: `StepFailure` for an amount above both transaction limits: no card can pay it.
  public func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData {
    let limits = limits[request]
    if let first = limits.transaction, let second = limits.further[Self.transactionOnDeviceKey.name],
      request.amount.minorUnits > max(first, second)
    {
      throw StepFailure(.preprocessing, .transactionLimit)
    }
    return dataWithoutPreprocessing(for: request)
  }

  /// Tags 9F33, 9F7E, 9F09 and 9F6D: this kernel compares the amount with the CVM required limit by itself.
  public func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData {
    // Byte 2 of tag 9F33 and bit 2 of tag 9F7E depend on the amount. No public document says that both are present from
    // the start; open terminals set the first one before GENERATE AC.
    let isRequired = isVerificationRequired(request)
    return TerminalData([
      .terminalCapabilities: [
        configuration.cardDataInput, configuration.cvmCapability(isRequired), configuration.security,
      ],
      .mobileSupportIndicator: [configuration.mobileSupport & ~0x02 | (isRequired ? 0x02 : 0)],
      .terminalApplicationVersion: configuration.applicationVersion,
      .magStripeVersion: configuration.magStripeVersion,
    ])
  }

  /// Creates the machine for one application.
  public func activate(_ application: SelectedApplication) -> any KernelMachine {
    Kernel2Machine(kernel: self, application: application)
  }
}

// The limits.
extension Kernel2 {
  private static let transactionOnDeviceKey = ProfileKey(
    "transactionOnDevice", .amount,
    help: "Tag DF8125: above this amount, no payment with a device that verifies its holder.",
    source: "EMV Contactless Book C-2")
  private static let furtherLimits = [transactionOnDeviceKey, RiskManagement.thresholdKey]
  // Profiles of Visa and Mastercard applications have the same general keys; this kernel has no status check.
  private static let statusCheckKey = ProfileKey("statusCheck", .flag, help: "Accepted, without an effect.")

  private init(reading application: inout ObjectReader, _ currencies: [Currency]) {
    configuration = Kernel2Configuration(reading: &application)
    limits = ReaderLimits(reading: &application, currencies, further: Self.furtherLimits)
    riskManagement = RiskManagement.read(&application, limits)
    _ = application.flag(Self.statusCheckKey)
  }

  // Tag DF8126.
  func isVerificationRequired(_ request: PaymentRequest) -> Bool {
    limits[request].cvmRequired.map { request.amount.minorUnits > $0 } ?? false
  }

  // Tag DF8123.
  func isAboveFloorLimit(_ request: PaymentRequest) -> Bool {
    limits[request].floor.map { request.amount.minorUnits > $0 } ?? false
  }

  // Tag DF8125 for a device that verifies its holder, tag DF8124 for any other card.
  func isAboveTransactionLimit(_ request: PaymentRequest, isOnDevice: Bool) -> Bool {
    let limits = limits[request]
    let limit = isOnDevice ? limits.further[Self.transactionOnDeviceKey.name] : limits.transaction
    return limit.map { request.amount.minorUnits > $0 } ?? false
  }

  // Whether card and terminal leave the verification to the device: AIP byte 1 bit 2, tag DF811B bit 6.
  func verifiesOnDevice(_ profile: ApplicationInterchangeProfile) -> Bool {
    profile.contains(.onDeviceVerification) && configuration.options.contains(.onDeviceVerification)
  }
}

// The commands that only this kernel sends.
extension TransactionPhase {
  /// EXCHANGE RELAY RESISTANCE DATA.
  public static let relayResistance = TransactionPhase(rawValue: "EXCHANGE RELAY RESISTANCE DATA")
  /// COMPUTE CRYPTOGRAPHIC CHECKSUM, in mag-stripe mode.
  public static let computeChecksum = TransactionPhase(rawValue: "COMPUTE CRYPTOGRAPHIC CHECKSUM")
}

extension CommandAPDU {
  // EXCHANGE RELAY RESISTANCE DATA: 80 EA 00 00 04 and four bytes (Book C-8 v1.0, 6.3.5; kernel 2 by open terminals).
  static func exchangeRelayResistanceData(_ entropy: [UInt8]) -> CommandAPDU {
    short(0x80, 0xEA, 0x00, 0x00, entropy)
  }

  // COMPUTE CRYPTOGRAPHIC CHECKSUM: 80 2A 8E 80, confirmed by a public recording.
  static func computeChecksum(_ data: [UInt8]) throws(StepFailure) -> CommandAPDU {
    try checked(.computeChecksum, 0x80, 0x2A, 0x8E, 0x80, data)
  }
}

// Failures that only this kernel has.
extension StepFailure.Code {
  /// The card has neither of the modes that the terminal has.
  public static let modeNotSupported = Self(
    "modeNotSupported", "card and terminal have no mode in common: EMV mode or mag-stripe mode")
  /// The response to the relay resistance exchange came faster than the card's stated minimum.
  public static let relayTooFast = Self(
    "relayTooFast", "the relay resistance response came faster than the card's stated minimum")
  /// The cardholder must do something on the phone first: tag DF4B.
  public static let holderNeeded = Self("holderNeeded", "the cardholder must act on the phone first (tag DF4B)")
  /// Mag-stripe mode: the card returned no checksum, tag 9F61, and does not ask its holder for anything.
  public static let declinedWithoutChecksum = Self(
    "declinedWithoutChecksum", "the card returned no checksum (tag 9F61) and asks for no action of the cardholder")
  /// Mag-stripe mode: the positions for the digits do not fit the card's tracks.
  public static let trackNotFilled = Self(
    "trackNotFilled", "the positions for the digits of a transaction do not fit the card's tracks")
}

internal import Documents
public import EMVData
internal import ISO7816
internal import JSON

/// The settings of kernel 5.
public struct Kernel5Configuration: Hashable, Sendable {
  /// Byte 1 of the combination options, as a vendor's manual has it.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The byte.
    public let rawValue: UInt8

    /// Creates options.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Bit 1: legacy mode.
    public static let legacyMode = Options(rawValue: 0x01)
    /// Bit 2: EMV mode.
    public static let emvMode = Options(rawValue: 0x02)
    /// Bit 3: mag-stripe mode.
    public static let magStripeMode = Options(rawValue: 0x04)
    /// Bit 4: random selection.
    public static let randomSelection = Options(rawValue: 0x08)
    /// Bit 5: the exception list counts.
    public static let exceptionList = Options(rawValue: 0x10)
    /// Bit 6: cards are authenticated.
    public static let dataAuthentication = Options(rawValue: 0x20)
    /// Bit 7: an amount of one unit is a status check.
    public static let statusCheck = Options(rawValue: 0x40)
    /// The bits above.
    public static let known: Options = [
      .legacyMode, .emvMode, .magStripeMode, .randomSelection, .exceptionList, .dataAuthentication, .statusCheck,
    ]
  }

  /// The combination options.
  public let options: Options
  /// Tag 9F53 without "CVM required".
  public let interchangeProfile: TerminalInterchangeProfile
  /// Tag 9F09, two bytes.
  public let applicationVersion: [UInt8]
  /// The action codes of the terminal.
  public let actionCodes: TerminalActionCodes
}

// The key `kernel5` of an application in a terminal profile.
extension Kernel5Configuration {
  static let key = ProfileKey(
    "kernel5",
    .object([optionsKey, profileKey, versionKey, TerminalActionCodes.key(tags: "The terminal action codes")]),
    isRequired: true, help: "The settings of kernel 5.", source: "public lists of data elements; a vendor's manual")

  private static let optionsKey = ProfileKey(
    "combinationOptions", .octets, isRequired: true, range: 1...1,
    help: """
      Bit 2 EMV mode, which must be set; bit 4 random selection, with `riskManagement.randomSelection`; bit 5 the exception \
      list counts; bit 6 cards are authenticated with CDA; bit 7 an amount of one unit is a status check. Legacy mode (bit \
      1) and mag-stripe mode (bit 3) are refused: no public document has their commands.
      """)
  private static let profileKey = ProfileKey(
    "interchangeProfile", .octets, isRequired: true, range: 3...3,
    help: """
      Tag 9F53: byte 1 bit 7 signature, bit 6 online PIN, bit 5 verification on the device, bit 2 contact chip, bit 1 \
      offline PIN. Byte 1 bit 8, CVM required, is set anew for each payment. Transit (byte 1 bit 3) and the issuer update \
      (byte 2 bit 8) are not built and must be 0.
      """)

  private static let versionKey = ProfileKey(
    "applicationVersion", .octets, isRequired: true, range: 2...2, help: "Tag 9F09. No public document has a value.")

  init(reading application: inout ObjectReader) {
    self = application.object(Self.key.name) { settings in Kernel5Configuration(settings: &settings) }
  }

  private init(settings: inout ObjectReader) {
    options = Self.options(&settings)
    let key = Self.profileKey.name
    let stated = TerminalInterchangeProfile(octets: settings.octets(key, count: 3)) ?? []
    if stated.contains(.transit) { settings.note(key, "transit (byte 1 bit 3) is set, but it is not built") }
    if stated.contains(.issuerUpdate) {
      settings.note(key, "the issuer update (byte 2 bit 8) is set, but it is not built")
    }
    interchangeProfile = stated.subtracting(.cvmRequired)
    applicationVersion = settings.octets(Self.versionKey.name, count: 2)
    actionCodes = TerminalActionCodes(reading: &settings)
  }

  private static func options(_ settings: inout ObjectReader) -> Options {
    let key = optionsKey.name
    let options = Options(rawValue: settings.octets(key, count: 1).first ?? 0)
    let refused: [(Options, String, String)] = [
      (.legacyMode, "legacy mode (bit 1)", "ECHO"),
      (.magStripeMode, "mag-stripe mode (bit 3)", "GET MAGSTRIPE DATA"),
    ]
    for (bit, name, command) in refused where options.contains(bit) {
      settings.note(key, "\(name) is set: no public document has the coding of \(command), so it cannot be built")
    }
    if !options.contains(.emvMode) {
      settings.note(key, "EMV mode (bit 2) must be set: it is the only mode of this kernel")
    }
    if !Options.known.isSuperset(of: options) { settings.note(key, "bit 8 is set, and has no meaning") }
    return options
  }

  // The settings of a recorded terminal.
  static let recordedMembers = KernelDefinition.recordedMembers(
    "\(key.name).\(profileKey.name)", .terminalInterchangeProfile)
}

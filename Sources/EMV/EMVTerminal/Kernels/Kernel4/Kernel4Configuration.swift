internal import Documents
public import EMVData
internal import ISO7816
internal import JSON

/// The settings of kernel 4.
public struct Kernel4Configuration: Hashable, Sendable {
  /// Tag 9F6E without "CVM required".
  public let readerCapabilities: EnhancedContactlessReaderCapabilities
  /// Tag 9F09, two bytes.
  public let applicationVersion: [UInt8]
  /// The action codes of the terminal.
  public let actionCodes: TerminalActionCodes
  /// The largest unpredictable number of mag-stripe mode, 60...255.
  public let largestMagStripeNumber: Int

  // Tag 9F6D: bits 8 and 7 the modes, bit 4 CVM required. No value stands for EMV mode alone.
  static let magStripeOnly: UInt8 = 0x40
  static let emvAndMagStripe: UInt8 = 0xC0
  static let cvmRequired: UInt8 = 0x08
  // The bits of tag 9F6D that are set in tag 9F35 for the card.
  static let terminalTypeMask: UInt8 = 0xC8

  // Tag 9F6D without "CVM required".
  var contactlessCapabilities: UInt8 {
    readerCapabilities.contains(.partialOnline) ? Self.emvAndMagStripe : Self.magStripeOnly
  }
}

// The key `kernel4` of an application in a terminal profile.
extension Kernel4Configuration {
  static let key = ProfileKey(
    "kernel4",
    .object([
      capabilitiesKey, versionKey, TerminalActionCodes.key(tags: "The terminal action codes"), numberKey,
    ]),
    isRequired: true, help: "The settings of kernel 4.", source: "public lists of data elements; a vendor's manual")

  private static let capabilitiesKey = ProfileKey(
    "readerCapabilities", .octets, isRequired: true, range: 4...4,
    help: """
      Tag 9F6E: byte 1 bit 8 contact, bit 7 mag-stripe mode, bit 5 EMV mode, bit 4 mobile devices, bit 3 another interface \
      after a decline; byte 2 bit 8 verification on the device, bit 7 online PIN, bit 6 signature; byte 3 bit 8 offline \
      only; byte 4 bit 8 no verification is needed. Byte 3 bit 7, CVM required, is set anew for each payment. EMV full \
      online mode, delayed authorisation and transit are not built and must be 0.
      """)
  private static let versionKey = ProfileKey(
    "applicationVersion", .octets, range: 2...2, default: "0001",
    help: "Tag 9F09. The default value is that of a recorded terminal.")
  private static let numberKey = ProfileKey(
    "largestMagStripeNumber", .integer, range: 60...255, default: 60,
    help: "The largest unpredictable number of mag-stripe mode.")

  // Bits of tag 9F6E that a reader may have, but not this kernel.
  private static let notBuilt: [(bit: EnhancedContactlessReaderCapabilities, name: String)] = [
    (.fullOnline, "EMV full online mode (byte 1 bit 6)"),
    (.delayedAuthorisation, "delayed authorisation (byte 4 bit 7)"), (.transit, "transit (byte 4 bit 6)"),
  ]

  init(reading application: inout ObjectReader) {
    self = application.object(Self.key.name) { settings in Kernel4Configuration(settings: &settings) }
  }

  private init(settings: inout ObjectReader) {
    let key = Self.capabilitiesKey.name
    let stated = EnhancedContactlessReaderCapabilities(octets: settings.octets(key, count: 4)) ?? []
    if stated.isDisjoint(with: [.magStripeMode, .partialOnline]) {
      settings.note(key, "neither mag-stripe mode (byte 1 bit 7) nor EMV mode (byte 1 bit 5) is set")
    }
    for feature in Self.notBuilt where stated.contains(feature.bit) {
      settings.note(key, "\(feature.name) is set, but it is not built")
    }
    readerCapabilities = stated.subtracting(.cvmRequired)
    applicationVersion = settings.octets(Self.versionKey) ?? []
    actionCodes = TerminalActionCodes(reading: &settings)
    largestMagStripeNumber = settings.integer(Self.numberKey) ?? 60
  }

  // The settings of a recorded terminal.
  static let recordedMembers = KernelDefinition.recordedMembers(
    "\(key.name).\(capabilitiesKey.name)", .enhancedReaderCapabilities)
}

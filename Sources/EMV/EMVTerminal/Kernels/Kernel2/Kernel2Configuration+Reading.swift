internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

// The key `kernel2` of an application in a terminal profile. Defaults are the values of open terminals.
extension Kernel2Configuration {
  static let key = ProfileKey(
    "kernel2", .object(keys), isRequired: true, help: "The settings of kernel 2.", source: "EMV Contactless Book C-2")

  private static let keys = [
    ProfileKey(
      "configuration", .octets, isRequired: true, range: 1...1,
      help: """
        Tag DF811B: bit 8 no mag-stripe mode, bit 7 no EMV mode, bit 6 verification on the device supported, bit 5 \
        relay resistance supported; the others 0.
        """),
    ProfileKey("cardDataInput", .octets, isRequired: true, range: 1...1, help: "Tag DF8117: byte 1 of tag 9F33."),
    ProfileKey(
      "security", .octets, isRequired: true, range: 1...1,
      help: """
        Tag DF811F: byte 3 of tag 9F33. Bit 4: cards are authenticated with CDA. SDA and DDA (bits 8 and 7) are not used \
        without contact and must be 0.
        """),
    ProfileKey(
      "cvmCapability", choice(.octets, 1...1), isRequired: true,
      help: "Tags DF8118 and DF8119: byte 2 of tag 9F33 above and up to the CVM required limit."),
    ProfileKey(
      "magStripeCVM", choice(.choice(methods.map { $0.0 })), isRequired: true,
      help: "Tags DF811E and DF812C: 00 none, 10 signature, 20 online PIN."),
    TerminalActionCodes.key(tags: "Tags DF8121, DF8122 and DF8120"),
    defaultUDOLKey, mobileSupportKey, applicationVersionKey, magStripeVersionKey,
    ProfileKey(
      "relayResistance", .object(relayKeys),
      help: "The relay resistance protocol. Times in units of 100 microseconds."),
    secondCryptogramKey, PhoneMessage.key, tornTransactionsKey,
  ]

  private static let defaultUDOLKey = ProfileKey(
    "defaultUDOL", .octets, default: "9F6A04",
    help: "Tag DF811A: the data object list for a card without one; 9F6A with 4 bytes must be in it.")
  private static let mobileSupportKey = ProfileKey(
    "mobileSupport", .octets, range: 1...1, default: "01", help: "Tag 9F7E. Bit 2 is set anew for each payment.")
  private static let applicationVersionKey = ProfileKey(
    "applicationVersion", .octets, range: 2...2, default: "0002", help: "Tag 9F09.")
  private static let magStripeVersionKey = ProfileKey(
    "magStripeVersion", .octets, range: 2...2, default: "0001", help: "Tag 9F6D.")

  private static let secondCryptogramKey = ProfileKey(
    "secondCryptogram", .flag, default: false,
    help: """
      Whether a card with CDOL2 stays in the field for the host's response: EXTERNAL AUTHENTICATE, issuer scripts, a \
      second GENERATE AC.
      """, source: "EMV 4.4 Book 3, 10.9 to 10.11")

  private static let tornTransactionsKey = ProfileKey(
    "tornTransactions", .integer, range: 0...10, default: 0,
    help: """
      Tag DF811D: how many payments are kept whose card left while it made its cryptogram. A card with tag 9F51 that comes back \
      for the same payment is asked for that cryptogram with RECOVER AC. Kernels of today do without.
      """)

  private static let relayKeys = [
    relayKey("furtherTries", 0...2, RelayResistance().furtherTries, "How often the exchange is repeated."),
    relayKey("minimumGrace", 0...65535, RelayResistance().minimumGrace, "Tag DF8132."),
    relayKey("maximumGrace", 0...65535, RelayResistance().maximumGrace, "Tag DF8133."),
    relayKey("commandTime", 0...65535, RelayResistance().commandTime, "Tag DF8134."),
    relayKey("responseTime", 0...65535, RelayResistance().responseTime, "Tag DF8135."),
    relayKey("accuracy", 0...65535, RelayResistance().accuracy, "Tag DF8136."),
    relayKey("mismatch", 0...100, RelayResistance().mismatch, "Tag DF8137, in percent."),
  ]

  private static func relayKey(_ name: String, _ range: ClosedRange<Int>, _ value: Int, _ help: String) -> ProfileKey {
    ProfileKey(name, .integer, range: range, default: JSONValue(value), help: help)
  }

  private static func choice(_ kind: ProfileKey.Kind, _ range: ClosedRange<Int>? = nil) -> ProfileKey.Kind {
    .object([
      ProfileKey("required", kind, isRequired: true, range: range, help: "Above the CVM required limit."),
      ProfileKey("notRequired", kind, isRequired: true, range: range, help: "Up to the CVM required limit."),
    ])
  }

  private static let methods: [(String, CardholderVerificationMethod)] = [
    ("00", .none), ("10", .signature), ("20", .onlinePIN),
  ]

  // SDA and DDA in byte 3 of tag 9F33 (EMV 4.4 Book 4, annex A2).
  private static let otherAuthentication: UInt8 = 0x80 | 0x40

  init(reading application: inout ObjectReader) {
    self = application.object(Self.key.name) { settings in Kernel2Configuration(settings: &settings) }
  }

  private init(settings: inout ObjectReader) {
    options = Self.options(&settings)
    cardDataInput = settings.octet("cardDataInput")
    security = settings.octet("security")
    if security & Self.otherAuthentication != 0 {
      settings.note("security", "SDA or DDA (bits 8 and 7) is set, but this kernel authenticates with CDA only")
    }
    cvmCapability = settings.object("cvmCapability") {
      Choice(required: $0.octet("required"), notRequired: $0.octet("notRequired"))
    }
    magStripeVerification = settings.object("magStripeCVM") {
      Choice(
        required: $0.choice("required", of: Self.methods), notRequired: $0.choice("notRequired", of: Self.methods))
    }
    actionCodes = TerminalActionCodes(reading: &settings)
    defaultUDOL = Self.dataObjectList(&settings)
    mobileSupport = settings.octets(Self.mobileSupportKey)?.first ?? 0
    applicationVersion = settings.octets(Self.applicationVersionKey) ?? []
    magStripeVersion = settings.octets(Self.magStripeVersionKey) ?? []
    relayResistance =
      settings.optionalObject("relayResistance") { relay in
        let values = Self.relayKeys.map { relay.integer($0) ?? 0 }
        return RelayResistance(
          furtherTries: values[0], minimumGrace: values[1], maximumGrace: values[2], commandTime: values[3],
          responseTime: values[4], accuracy: values[5], mismatch: values[6])
      } ?? RelayResistance()
    secondCryptogram = settings.flag(Self.secondCryptogramKey) ?? false
    phoneMessages = PhoneMessage.table(reading: &settings)
    tornTransactions = settings.integer(Self.tornTransactionsKey) ?? 0
  }

  private static func options(_ settings: inout ObjectReader) -> Options {
    let options = Options(rawValue: settings.octet("configuration"))
    if options.isSuperset(of: [.noMagStripeMode, .noEMVMode]) {
      settings.note("configuration", "neither mag-stripe mode (bit 8) nor EMV mode (bit 7) is left")
    }
    if !Options.known.isSuperset(of: options) {
      settings.note("configuration", "\"\(options.rawValue.hex)\" sets a bit of 4 to 1, but none of those is built")
    }
    return options
  }

  private static func dataObjectList(_ settings: inout ObjectReader) -> DataObjectList {
    let key = defaultUDOLKey
    guard let octets = settings.octets(key) else { return DataObjectList(entries: []) }
    guard let list = try? DataObjectList(parsing: octets) else {
      settings.note(key.name, "\"\(octets.hex)\" is not a data object list")
      return DataObjectList(entries: [])
    }
    // A checksum that does not cover the terminal's number proves nothing.
    if list.range(of: .unpredictableNumberNumeric)?.count != 4 {
      settings.note(key.name, "tag 9F6A with 4 bytes is missing from the data object list")
    }
    return list
  }
}

extension ObjectReader {
  fileprivate mutating func octet(_ key: String) -> UInt8 { octets(key, count: 1).first ?? 0 }
}

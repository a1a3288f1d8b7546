public import Documents
internal import JSON

extension TerminalConfiguration {
  /// The keys of a terminal profile, from which its schema and the table of its keys are made.
  ///
  /// - Parameter kernels: The kernels that an application of the profile can name.
  public static func keys(kernels: [KernelDefinition] = Self.kernels) -> [ProfileKey] {
    [
      .schemaReference, TerminalKeys.name, TerminalKeys.countryCode, TerminalKeys.terminalType,
      TerminalKeys.capabilities, TerminalKeys.additionalCapabilities, TerminalKeys.merchant, TerminalKeys.languages,
      TerminalKeys.autorun,
      CertificationAuthorities.authoritiesKey, CertificationAuthorities.revokedKey, TerminalKeys.currencies,
      TerminalKeys.applications(kernels),
    ]
  }
}

/// The keys of a terminal profile that are the same for all kernels. `TerminalConfiguration` reads through them.
enum TerminalKeys {
  static let name = ProfileKey("name", .text, isRequired: true, range: 1...Int.max, help: "The name of the profile.")
  static let countryCode = ProfileKey(
    "countryCode", .digits, isRequired: true, range: 3...3, help: "Tag 9F1A: ISO 3166-1 numeric, such as `276`.",
    source: "EMV 4.4 Book 3, annex A")
  static let terminalType = ProfileKey(
    "terminalType", .digits, isRequired: true, range: 2...2,
    help: "Tag 9F35, such as `21` (attended, online only, merchant) or `24` (unattended).",
    source: "EMV 4.4 Book 4, annex A1")
  static let capabilities = ProfileKey(
    "capabilities", .octets, isRequired: true, range: 3...3, help: "Tag 9F33.", source: "EMV 4.4 Book 4, annex A2")
  static let additionalCapabilities = ProfileKey(
    "additionalCapabilities", .octets, range: 5...5,
    help: "Tag 9F40. Byte 1 bit 5 offers cashback, which is refused without it.", source: "EMV 4.4 Book 4, annex A3")

  static let merchantName = ProfileKey(
    "name", .text, isRequired: true, range: 1...40, help: "Tag 9F4E, in printable ASCII.")
  static let categoryCode = ProfileKey(
    "categoryCode", .digits, isRequired: true, range: 4...4, help: "Tag 9F15 (ISO 18245).")
  static let merchantIdentifier = ProfileKey(
    "identifier", .text, range: 15...15, help: "Tag 9F16, in printable ASCII.")
  static let terminalIdentifier = ProfileKey(
    "terminalIdentifier", .text, range: 8...8, help: "Tag 9F1C, in printable ASCII.")
  static let merchant = ProfileKey(
    "merchant", .object([merchantName, categoryCode, merchantIdentifier, terminalIdentifier]), isRequired: true,
    help: "The merchant.", source: "EMV 4.4 Book 3, annex A")

  static let languages = ProfileKey(
    "languages", .list(.choice(CardholderLanguage.allCases.map(\.rawValue))), range: 1...Int.max,
    help: """
      The languages of the messages (ISO 639), the terminal's own first; `en` when left out. A card whose tag 5F2D names one \
      of them gets its messages in it.
      """,
    source: "EMV 4.4 Book 3, annex A")
  static let autorun = ProfileKey(
    "autorun", .flag, default: false,
    help:
      "Whether a payment begins with the field on, start B: without pre-processing, so that no limit of it is checked.",
    source: "EMV Contactless Books A and B")

  static let currencyCode = ProfileKey(
    "code", .digits, isRequired: true, range: 3...3, help: "The numeric code (ISO 4217), such as `978`.")
  static let currencyName = ProfileKey(
    "name", .text, isRequired: true, range: 3...3, help: "The code in capital letters (ISO 4217), such as `EUR`.")
  static let exponent = ProfileKey(
    "exponent", .integer, isRequired: true, range: Currency.exponents,
    help: "The number of decimals of the main unit (ISO 4217).")
  static let floorLimit = ProfileKey(
    "floorLimit", .amount,
    help: "The terminal's floor limit: used for an application whose `limits` have no `floor`.",
    source: "EMV Contactless Book B v2.11, 3.1.1.6")
  static let currencies = ProfileKey(
    "currencies", .list(.object([currencyCode, currencyName, exponent, floorLimit])), isRequired: true,
    range: 1...Int.max,
    help: "The currencies that the terminal takes.")
}

// The keys of an application.
extension TerminalKeys {
  static let applicationName = ProfileKey("name", .text, isRequired: true, help: "The name of the application.")
  static let aids = ProfileKey(
    "aids", .list(.octets, each: 5...16), isRequired: true, range: 1...Int.max,
    help: "Whole AIDs or beginnings of AIDs; of several that match, the longest is used.",
    source: "EMV 4.4 Book 1, 12.3.1")
  static let zeroAmountAllowed = ProfileKey(
    "zeroAmountAllowed", .flag, default: true, help: "Whether an amount of zero is taken.",
    source: "EMV Contactless Book B v2.11, 3.1.1.4")
  static let extendedSelection = ProfileKey(
    "extendedSelection", .flag, default: false,
    help: "Whether tag 9F29 of the directory entry is appended to the selected name.",
    source: "EMV Contactless Book B v2.11, 3.3.2.5")
  static let transactionTypes = ProfileKey(
    "transactionTypes", .list(.octets, each: 1...1), range: 1...Int.max,
    help: "The types of transactions, tag 9C, that the application is for, such as `00` and `09`; all when left out.",
    source: "EMV Contactless Book B v2.11, 3.1")
  static let kernel = ProfileKey(
    "kernel", .integer, isRequired: true, range: 0...0xFF_FFFF,
    help: "The kernel: 2 for Mastercard, 3 for Visa, 4 for American Express, 5 for JCB. The kernel's own keys follow.",
    source: "EMV Contactless Book B v2.11, table 3-6")

  static func applications(_ kernels: [KernelDefinition]) -> ProfileKey {
    let variants = kernels.map { ProfileKey.Variant(JSONValue($0.identifier.number), $0.profileKeys) }
    return ProfileKey(
      "applications",
      .list(
        .selected(
          [applicationName, aids, zeroAmountAllowed, extendedSelection, transactionTypes] + OutcomeSettings.keys
            + [kernel], by: kernel.name, variants)),
      isRequired: true, range: 1...Int.max, help: "AIDs that share a kernel and its settings.")
  }
}

public import Documents
internal import JSON

extension TestedCapabilities {
  /// The keys of the file, from which its schema and the table of its keys are made.
  public static var keys: [ProfileKey] {
    [
      .schemaReference, CapabilityKeys.product, CapabilityKeys.version, CapabilityKeys.kernels,
      CapabilityKeys.currencies, CapabilityKeys.applications, CapabilityKeys.verifications,
      CapabilityKeys.authorityKeys, CapabilityKeys.display,
    ]
  }
}

/// The declared keys of a capabilities file.
enum CapabilityKeys {
  static let product = ProfileKey(
    "product", .text, isRequired: true, range: 1...100, help: "The name of the terminal, for reports.")
  static let version = ProfileKey("version", .text, range: 1...100, help: "The version of its software, for reports.")

  static let kernelNumber = ProfileKey(
    "number", .integer, isRequired: true, range: 1...0xFF_FFFF, help: "The number of the kernel, such as 3.",
    source: "EMV Contactless Book B v2.11, table 3-6")
  static let kernelVersion = ProfileKey(
    "version", .text, range: 1...100, help: "The version of the kernel, for reports.")
  static let kernels = ProfileKey(
    "kernels", .list(.object([kernelNumber, kernelVersion])), isRequired: true, range: 1...Int.max,
    help: "The kernels of the terminal.")
  static let currencies = ProfileKey(
    "currencies", .list(.text, each: 3...3), isRequired: true, range: 1...Int.max,
    help: "The currencies that the terminal takes, by their letters (ISO 4217), such as `EUR`.")

  static let aids = ProfileKey(
    "aids", .list(.octets, each: 5...16), isRequired: true, range: 1...Int.max,
    help: "Whole AIDs or beginnings of AIDs.", source: "EMV 4.4 Book 1, 12.3.1")
  static let kernel = ProfileKey(
    "kernel", .integer, isRequired: true, range: 1...0xFF_FFFF, help: "The kernel for these AIDs.")
  static let qualifiers = ProfileKey(
    "qualifiers", .octets, range: 4...4, help: "Tag 9F66 (TTQ), as the terminal is configured.",
    source: "EMV Contactless Book B v2.11, 3.1.1")
  static let currency = ProfileKey(
    "currency", .text, isRequired: true, range: 3...3, help: "One of `currencies`.")
  static let contactless = ProfileKey(
    "contactless", .amount, help: "Reader contactless transaction limit, `contactlessLimit` of a scenario.",
    source: "EMV Contactless Book B v2.11, 3.1.1.5")
  static let cvm = ProfileKey(
    "cvm", .amount, help: "Reader CVM required limit, `cvmLimit` of a scenario.",
    source: "EMV Contactless Book B v2.11, 3.1.1.8")
  static let floor = ProfileKey(
    "floor", .amount, help: "Reader contactless floor limit, `floorLimit` of a scenario.",
    source: "EMV Contactless Book B v2.11, 3.1.1.6")
  static let limits = ProfileKey(
    "limits", .list(.object([currency, contactless, cvm, floor])),
    help:
      "The limits of these AIDs, an entry for each currency. A scenario beside a limit that is left out does not apply."
  )
  static let applications = ProfileKey(
    "applications", .list(.object([aids, kernel, qualifiers, limits])), isRequired: true, range: 1...Int.max,
    help: "AIDs that share a kernel and limits.")

  static let verifications = ProfileKey(
    "verificationMethods", .list(.choice(TestedCapabilities.Verification.allCases.map(\.rawValue))),
    help: "The methods of cardholder verification. A scenario that needs another one does not apply.")
  static let provider = ProfileKey("provider", .octets, isRequired: true, range: 5...5, help: "The RID.")
  static let index = ProfileKey("index", .octets, isRequired: true, range: 1...1, help: "Tag 8F.")
  static let authorityKeys = ProfileKey(
    "authorityKeys", .list(.object([provider, index])),
    help:
      "The public keys of certification authorities; `--setup` prints those that scenarios need and this list lacks.")
  static let display = ProfileKey(
    "display", .flag, default: true,
    help: "Whether a person sees results at the terminal. Without it, scenarios that ask what was shown do not apply.")
}

internal import Documents
internal import JSON

// The limits of a profile.
extension CardProfile {
  /// The longest name, in characters.
  static let maximumNameLength = 64
  // Together these keep the arena below 65536 bytes, which its two-byte offsets can reach.
  /// The most applications of a card.
  static let maximumApplications = 4
  /// The most records of an application.
  static let maximumRecords = 32
  /// The most data objects for GET DATA of an application.
  static let maximumDataObjects = 16
}

/// The keys of every card profile. `ImageCompiler` and the schemes read through them.
enum CardKeys {
  /// The name of the key for faults, which the card ignores.
  static let faults = "faults"
  static let format = ProfileKey(
    "format", .choice([CardProfile.format]), isRequired: true, help: "The format of the file.")
  static let name = ProfileKey(
    "name", .text, isRequired: true, range: 1...CardProfile.maximumNameLength, help: "A name for people.")

  /// - Parameter variants: The keys of each scheme, by its name.
  static func applications(_ variants: [ProfileKey.Variant]) -> ProfileKey {
    ProfileKey(
      "applications", .list(.selected(application(kernels: variants.compactMap(\.value.text)), by: "kernel", variants)),
      isRequired: true,
      range: 1...CardProfile.maximumApplications,
      help: "The applications, in the order of their records; the directory is ordered by priority.",
      source: "EMV Contactless Book B, 3.3")
  }

  /// The keys of every application.
  static func application(kernels: [String]) -> [ProfileKey] {
    let kernel = ProfileKey(
      "kernel", .choice(kernels), isRequired: true,
      help: "The scheme, by the kernel that reads the application: its tag 9F2A.",
      source: "EMV Contactless Book B, table 3-3")
    return [
      aid, label, priority, kernel, pdol, fci, issuerDiscretionary, aip, cryptogram, certificationAuthority,
      processingOptions, records,
      getData, firstATC, uses,
    ]
  }

  static let aid = ProfileKey(
    "aid", .octets, isRequired: true, range: 5...16, help: "Tag 84: the application identifier.",
    source: "EMV 4.4 Book 1, 12.2.1")
  static let label = ProfileKey(
    "label", .text, isRequired: true, range: 1...16, help: "Tag 50, in printable ASCII.",
    source: "EMV 4.4 Book 3, annex A")
  static let priority = ProfileKey(
    "priority", .integer, isRequired: true, range: 1...15, help: "Tag 87: 1 is the first.",
    source: "EMV 4.4 Book 1, 12.2.3")
  static let pdol = ProfileKey(
    "pdol", .octets, isRequired: true, range: 0...252,
    help: "Tag 9F38: tags with their lengths, whose values have 252 bytes at most; empty for none.",
    source: "EMV 4.4 Book 3, 5.4")
  static let fci = ProfileKey(
    "fci", .list(.dataObject), help: "Further data objects of template A5, such as tag 5F2D.",
    source: "EMV 4.4 Book 1, 11.3.4")
  static let issuerDiscretionary = ProfileKey(
    "issuerDiscretionary", .list(.dataObject), help: "Data objects of template BF0C, such as tag 9F5A.",
    source: "EMV 4.4 Book 1, 11.3.4")
  static let aip = ProfileKey(
    "aip", .octets, isRequired: true, range: 2...2, help: "Tag 82: what the application supports.",
    source: "EMV 4.4 Book 3, annex C1")
  static let processingOptions = ProfileKey(
    "processingOptions", .list(.dataObject),
    help: "Further data objects of the response to GET PROCESSING OPTIONS, such as tags 57 and 9F6E.",
    source: "EMV 4.4 Book 3, 6.5.8")
  static let getData = ProfileKey(
    "getData", .list(.dataObject), range: 0...CardProfile.maximumDataObjects,
    help: "Data objects for GET DATA besides the counter 9F36, with tags of one or two bytes.",
    source: "EMV 4.4 Book 3, 6.5.7")
  static let firstATC = ProfileKey(
    "firstATC", .integer, range: 1...0xFFFF, default: 1, help: "The first application transaction counter, tag 9F36.",
    source: "EMV 4.4 Book 3, annex A")
  static let uses = ProfileKey(
    "uses", .integer, range: 0...0xFFFF, default: 10,
    help: "The number of payments of a key that the test issuer provisions.")
}

// The records and the cryptogram of an application.
extension CardKeys {
  static let sfi = ProfileKey("sfi", .integer, isRequired: true, range: 1...30, help: "The short file identifier.")
  static let record = ProfileKey("record", .integer, isRequired: true, range: 1...255, help: "The record number.")
  static let data = ProfileKey(
    "data", .list(.dataObject), isRequired: true, help: "The data objects of template 70, 256 bytes together.")
  static let signed = ProfileKey(
    "signed", .flag, default: false,
    help: "Whether the certificate of the card (tag 9F46) covers the record: the AFL counts it in its fourth byte.",
    source: "EMV 4.4 Book 3, 10.3")
  static let records = ProfileKey(
    "records", .list(.object([sfi, record, signed, data])), isRequired: true, range: 1...CardProfile.maximumRecords,
    help: "The records, which the AFL names in this order. The account number must be in one of them.",
    source: "EMV 4.4 Book 3, 6.5.11 and 10.2")

  static let modulus = ProfileKey(
    "modulus", .octets, isRequired: true, range: 64...248, help: "The modulus: odd, 512 to 1984 bits.")
  static let exponent = ProfileKey(
    "exponent", .octets, isRequired: true, range: 1...3, help: "The exponent: `03` or `010001`.")
  static let certificationAuthority = ProfileKey(
    "certificationAuthority", .object([modulus, exponent]),
    help: """
      The public key with which tags 90 and 9F46 in the records are checked when the profile is compiled. A card that signs \
      needs it; its private key is provisioned like the payment keys.
      """, source: "EMV 4.4 Book 2, 5.1")

  static let system = ProfileKey(
    "system", .choice(CardProfile.Cryptogram.System.allCases.map(\.rawValue)),
    help: """
      Whose version is meant: the payment system's when left out. No public document has those of American Express, \
      JCB, Discover and UnionPay, which need `commonCore`; `visa` does not take it. A payment with it proves the flow, not the scheme.
      """)
  static let version = ProfileKey(
    "version", .integer, isRequired: true,
    help: "The cryptogram version: 10, 18 or 22 of Visa; 16, 17, 20 or 21 of Mastercard; 5 of `commonCore`.",
    source: "EMV 4.3 Book 3, C7.1 for `commonCore`")
  static let derivationKeyIndex = ProfileKey(
    "derivationKeyIndex", .octets, isRequired: true, range: 1...1, help: "The derivation key index in tag 9F10.")
  static let results = ProfileKey(
    "cvr", .octets, isRequired: true, range: 4...6,
    help: """
      The card verification results in tag 9F10 of an ARQC, before the cardholder is verified: 4 bytes for Visa 10 and \
      18, 5 for Visa 22 and `commonCore`, 6 for Mastercard.
      """, source: "EMV 4.3 Book 3, C7.3 for `commonCore`")
  static let further = ProfileKey(
    "further", .octets, range: 0...24,
    help: """
      The bytes after the results in tag 9F10, zeros when left out: 10 for Mastercard, 24 for Visa 22, 23 for \
      `commonCore`, none for Visa 10 and 18.
      """)
  static let cryptogram = ProfileKey(
    "cryptogram", .object([system, version, derivationKeyIndex, results, further]), isRequired: true,
    help: "How the application makes cryptograms.")
}

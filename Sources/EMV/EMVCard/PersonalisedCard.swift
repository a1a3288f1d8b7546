internal import EMVData
internal import ISO7816
internal import Octets

/// The card profile that a personalisation file makes, and what was done with each of its data groupings.
///
/// What each grouping is for:
///
/// | DGI | taken for |
/// |---|---|
/// | 0101...1EFF | the record of that file and number, when the AFL names it: template 70 |
/// | 9103, else 9102 | the answer to SELECT: template A5, or 6F with tags 84 and A5 |
/// | 9115, else 9116, 9117, B104, 9104 | the answer to GET PROCESSING OPTIONS: tags 82, 94, and 9F10, 9F6C and others when there |
/// | 9200 | tag 9F10, when the grouping before has none |
/// | 9010 | the PIN try counter, tag 9F17 for GET DATA: counter and limit, or the data object |
///
/// 9102, 9104, 9200, 9010 and the records are common EMV groupings (EMV Card Personalization Specification 1.1,
/// annex A); 9103, 9115 to 9117 and B104 are the contactless ones seen in public personalisation scripts, whose scheme
/// documents are not public. Everything else is skipped. What the file does not say: the priority is 1 without tag 87,
/// the label the scheme's without tag 50, tag 9F6C is 0000, and the CVR say ARQC.
public struct PersonalisedCard: Sendable {
  /// The profile.
  public let profile: CardProfile
  /// What was taken and what was skipped, a sentence for each grouping, in the order of the file. No data.
  public let notices: [String]

  /// Maps a file to a profile; `CardImage.init(compiling:)` checks what the profile says.
  ///
  /// - Throws: `PersonalisationError` with everything that keeps the file from being a card.
  public init(_ file: PersonalisationFile) throws(PersonalisationError) {
    var reader = PersonalisationReader(file)
    let fci = reader.applicationInformation()
    let options = reader.options()
    let records = reader.records(named: options.locator)
    let application = reader.application(fci, options, records)
    try reader.finish()
    guard let application else { preconditionFailure("a file without problems makes an application") }
    profile = CardProfile(named: file.directives[.name] ?? application.label, application)
    notices = reader.notices
  }
}

extension CardProfile {
  fileprivate init(named name: String, _ application: Application) {
    format = Self.format
    self.name = name
    applications = [application]
  }
}

/// What follows from the application provider in an AID.
struct PersonalisedScheme {
  let provider: [UInt8]
  let kernel: CardProfile.Kernel
  let label: String
  /// Key index, version and card verification results in tag 9F10.
  let issuerData: @Sendable ([UInt8]) -> CardProfile.Cryptogram?

  static let all = [
    PersonalisedScheme(provider: [0xA0, 0, 0, 0, 0x03], kernel: .visa, label: "VISA") { octets in
      VisaIssuerApplicationData(octets).flatMap { data in
        guard data.layout == .standard else { return nil }
        return cryptogram(data.derivationKeyIndex, data.cryptogramVersionNumber, data.cardVerificationResults)
      }
    },
    PersonalisedScheme(provider: [0xA0, 0, 0, 0, 0x04], kernel: .mastercard, label: "MASTERCARD") { octets in
      MastercardIssuerApplicationData(octets).map { data in
        cryptogram(data.derivationKeyIndex, data.cryptogramVersionNumber, data.cardVerificationResults)
      }
    },
  ]

  static func of(_ aid: [UInt8]) -> PersonalisedScheme? { all.first { aid.starts(with: $0.provider) } }

  private static func cryptogram(_ index: UInt8, _ version: UInt8, _ results: [UInt8]) -> CardProfile.Cryptogram {
    CardProfile.Cryptogram(version: Int(version), derivationKeyIndex: index.hex, cvr: results.hex)
  }
}

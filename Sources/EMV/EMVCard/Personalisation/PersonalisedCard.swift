/// The card profile of a personalisation file, and what it takes from each data grouping:
///
/// | DGI | taken for |
/// |---|---|
/// | 0101...1EFF | the record of that file and number, when the AFL names it: template 70 |
/// | 9103, else 9102 | the response to SELECT: template A5, or 6F with tags 84 and A5 |
/// | 9115, else 9116, 9117, B104, 9104 | the response to GET PROCESSING OPTIONS: tags 82, 94, and others when present |
/// | 9200 | tag 9F10, when the grouping above has none |
/// | 9010 | the PIN try counter, tag 9F17 for GET DATA: counter and limit, or the data object |
///
/// 9102, 9104, 9200, 9010 and the records are common EMV groupings (EMV Card Personalization Specification 1.1, annex
/// A). 9103, 9115 to 9117 and B104 are contactless groupings seen in public personalisation scripts; the documents of
/// the schemes are not public. Everything else is skipped. Defaults for missing data: the priority is 1 without tag 87,
/// the label is the scheme's without tag 50, tag 9F6C is 0000, and the CVR hold an ARQC.
public struct PersonalisedCard: Sendable {
  /// The profile.
  public let profile: CardProfile
  /// A sentence for each grouping, taken or skipped, in the order of the file. Without data.
  public let notices: [String]

  /// Maps a file to a profile. `CardImage` checks the profile.
  ///
  /// - Parameter schemes: The schemes to which the application can belong, by its AID.
  /// - Throws: `PersonalisationError` with everything that keeps the file from being a card.
  public init(_ file: PersonalisationFile, schemes: [CardScheme]) throws(PersonalisationError) {
    var reader = PersonalisationReader(file, schemes)
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

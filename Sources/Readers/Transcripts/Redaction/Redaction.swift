public import EMVData

/// Takes cardholder data out of a transcript: account numbers, tracks, names, bank accounts, PINs.
///
/// Lengths and structure stay, and one account number becomes one substitute wherever it stands, so that the flow
/// still replays on the terminal's side. Redacting again changes nothing.
///
/// - A substitute begins with 99999 (ISO/IEC 7812-1: 9 and a country code that ISO 3166-1 leaves unassigned), has
///   the length of the number it stands for and a right check digit.
/// - Tracks keep expiry and service code; their discretionary data become zeros, names become X.
/// - Certificates and signatures over the account number become zeros (93, 9F46, 9F2D): anybody can recover or
///   search the number from them. So does the payment account reference (9F24).
/// - Answers of no known structure, and what follows a malformed place, become zeros; in data objects that no
///   dictionary knows, runs of 13 and more decimal digits do.
/// - A `card` directive is dropped, since a card's profile is nothing but cardholder data and keys. In other
///   directives and comments account numbers and known names are replaced.
///
/// Account numbers of fewer than 13 digits are replaced in their own elements only: such digits turn up anywhere.
/// The ATR and what a header says of the card's UID stay.
public struct Redaction: Sendable {
  private let isTestCard: @Sendable (PrimaryAccountNumber) -> Bool

  /// Creates a redaction.
  ///
  /// - Parameter isTestCard: Whether an account number is that of a test card and may be written as it is. A
  ///   transcript whose account numbers, at least one, are all of that kind keeps everything but PINs.
  public init(exceptFor isTestCard: @escaping @Sendable (PrimaryAccountNumber) -> Bool = { _ in false }) {
    self.isTestCard = isTestCard
  }

  /// Spares no account number.
  public static let complete = Redaction()

  /// The transcript without cardholder data.
  public func redacted(_ transcript: Transcript) -> Transcript {
    let units = RedactionUnit.units(of: transcript)
    let text = RedactedText.accountNumbers(in: transcript)
    let numbers = units.flatMap(\.accountNumbers)
    let found = numbers + text
    if !found.isEmpty, found.allSatisfy(isTestCard) { return transcript }
    let substitutes = Substitutes(for: numbers, and: text, sparing: isTestCard)
    var redacted = transcript
    for unit in units { unit.redact(&redacted, with: substitutes) }
    RedactedText(substitutes: substitutes, names: units.flatMap(\.names) + RedactedText.names(in: transcript))
      .redact(&redacted)
    return redacted
  }
}

extension Transcript {
  /// The transcript without cardholder data.
  public func redacted(by redaction: Redaction = .complete) -> Transcript { redaction.redacted(self) }

  /// The transcript as text without cardholder data.
  public func text(redactedBy redaction: Redaction) -> String { redaction.redacted(self).text }
}

public import EMVData
internal import EMVDecoding

/// Removes cardholder data from a transcript: account numbers, tracks, names, bank accounts, PINs.
///
/// Lengths and structure stay, and each account number has one substitute everywhere, so that the recording still
/// replays on the terminal's side. Redacting a redacted transcript changes nothing.
///
/// - A substitute begins with 99999 (ISO/IEC 7812-1: 9 and a country code that ISO 3166-1 leaves unassigned), has the
///   length of the account number and a valid check digit.
/// - Tracks keep expiry date and service code. Their discretionary data become zeros, names become X.
/// - Certificates and signatures over the account number become zeros (93, 9F46, 9F2D), because the number can be
///   recovered from them or found by a search. The payment account reference (9F24) becomes zeros too.
/// - A value of a length that the dictionary does not allow becomes zeros, and so does an AFL with an invalid entry.
///   Where the structure is broken, the bytes become zeros to the end of the innermost template that is whole.
///   Responses of unknown structure become zeros.
/// - In other known data objects an account number with a valid check digit is replaced: a value that is one as a whole,
///   packed or as text, and 13 to 19 digits in text, also in groups with separators. So is every run that equals an
///   account number of the recording, and the rest of a track after it.
/// - In data objects that the dictionary does not have, runs of 13 and more decimal digits become zeros, and a text of
///   the form surname/first name becomes X. Numbers among them are replaced everywhere else.
/// - Names become X in every text of the card.
/// - The directive `card` is removed, because a card profile consists of cardholder data and keys. In other directives
///   and comments account numbers, tracks and known names are replaced, and the PIN of a command becomes zeros.
///
/// Account numbers of fewer than 13 digits are replaced in their own data elements only, because so few digits occur by
/// chance. The answer to reset and the UID in the header stay, and so does what a PC/SC reader returns itself (`FF CA`).
public struct Redaction: Sendable {
  let isTestCard: @Sendable (PrimaryAccountNumber) -> Bool

  /// Creates a redaction.
  ///
  /// - Parameter isTestCard: Returns whether an account number belongs to a test card and may stay. A transcript with
  ///   at least one account number, all of them of test cards, keeps everything but PINs, unless anything in it may be of
  ///   another card: digits that look like an account number in bytes of unknown meaning, an account number or a track
  ///   of a wrong form, or a name or a certificate that no application of a test card has.
  public init(exceptFor isTestCard: @escaping @Sendable (PrimaryAccountNumber) -> Bool = { _ in false }) {
    self.isTestCard = isTestCard
  }

  /// A redaction of all account numbers.
  public static let complete = Redaction()

  /// Returns the transcript without cardholder data.
  public func redacted(_ transcript: Transcript) -> Transcript {
    var redacted = transcript
    RedactedText.blankSecrets(in: &redacted)
    // A substitute and the digits beside it can look like another account number, which one more pass replaces.
    for _ in 0..<Self.maximumPasses {
      let next = pass(redacted)
      if next == redacted { break }
      redacted = next
    }
    return redacted
  }

  // Two passes are the rule: the second finds nothing to change.
  static let maximumPasses = 16

  private func pass(_ transcript: Transcript) -> Transcript {
    let units = RedactionUnit.units(of: transcript)
    var findings = RedactionFindings(isTestCard: isTestCard)
    findings.add(units, of: transcript)
    if findings.areOfTestCards { return transcript }
    return findings.redacted(transcript, units)
  }
}

extension Transcript {
  /// Returns the transcript without cardholder data.
  public func redacted(by redaction: Redaction = .complete) -> Transcript { redaction.redacted(self) }

  /// Returns the transcript as text without cardholder data.
  public func text(redactedBy redaction: Redaction) -> String { redaction.redacted(self).text }
}

internal import EMVData
internal import EMVDecoding

/// What the units of a transcript hold of cardholders, collected in their order, and what is put in its place.
struct RedactionFindings {
  private let isTestCard: @Sendable (PrimaryAccountNumber) -> Bool
  private var substitutes = Substitutes()
  private var strange: StrangeData
  private var hasNumber = false
  /// Whether an account number is not that of a test card.
  private var hasOtherNumber = false

  init(isTestCard: @escaping @Sendable (PrimaryAccountNumber) -> Bool) {
    self.isTestCard = isTestCard
    strange = StrangeData(isTestCard: isTestCard)
  }

  /// Takes the units of a transcript and its comments. A transcript may be given in parts.
  mutating func add(_ units: [RedactionUnit], of transcript: Transcript) {
    let (data, noted) = (units.map(\.data), RedactedText.accountNumbers(in: transcript))
    for (unit, data) in zip(units, data) { strange.add(unit, data) }
    let numbers = data.flatMap(\.numbers)
    hasNumber = hasNumber || !numbers.isEmpty || !noted.isEmpty
    hasOtherNumber = hasOtherNumber || !numbers.allSatisfy(isTestCard) || !noted.allSatisfy(isOfTestCard)
    replace(data, noted, transcript)
  }

  /// Takes the units of a transcript that was redacted: a substitute and the digits beside it can look like another account
  /// number.
  mutating func addRedacted(_ units: [RedactionUnit], of transcript: Transcript) {
    replace(units.map(\.data), RedactedText.accountNumbers(in: transcript), transcript)
  }

  private mutating func replace(_ data: [CardholderData], _ noted: [PrimaryAccountNumber], _ transcript: Transcript) {
    substitutes.add(
      data.reduce(into: CardholderData()) { $0.add($1) }, noted, RedactedText.names(in: transcript), sparing: isTestCard
    )
  }

  /// Whether all cardholder data so far are those of test cards.
  var areOfTestCards: Bool { hasNumber && !hasOtherNumber && !strange.isPresent }

  /// A transcript without cardholder data.
  func redacted(_ transcript: Transcript, _ units: [RedactionUnit]) -> Transcript {
    var redacted = transcript
    for unit in units { unit.redact(&redacted, with: substitutes) }
    RedactedText(substitutes: substitutes).redact(&redacted)
    return redacted
  }

  /// Whether a number in text is that of a test card. A card profile has tag 57 before the number, and with one of 15 digits
  /// both together look like a number of 17.
  private func isOfTestCard(_ number: PrimaryAccountNumber) -> Bool {
    let digits = number.exposedDigits
    guard !isTestCard(number), digits.hasPrefix("57") else { return isTestCard(number) }
    return PrimaryAccountNumber(digits: String(digits.dropFirst(2))).map(isTestCard) ?? false
  }
}

internal import EMVData
internal import ISO7816
internal import Octets

/// Removes cardholder data from the value of one data element. The length stays.
struct ElementRedaction {
  let tag: Tag?
  /// The application whose definition of the tag applies; nil for the definition of the EMV books.
  let application: AID?
  /// Whether the card sent the value. The lengths of the values in a command follow the card's lists.
  let isAnswer: Bool
  let substitutes: Substitutes

  // 5A, 57, 9F6B and 56: account number and tracks. 9F24: payment account reference.
  private static let numberTag: Tag = 0x5A
  private static let track2Tags: Set<Tag> = [0x57, 0x9F6B]
  private static let track1Tag: Tag = 0x56
  private static let nameTags: Set<Tag> = [0x5F20, 0x9F0B]
  // Discretionary data of the tracks: the card's (9F1F, 9F20) and kernel 2's (DF812A, DF812B); 5F53: bank account;
  // 9F24: payment account reference.
  private static let digitTags: Set<Tag> = [0x9F1F, 0x9F20, 0xDF812A, 0xDF812B, 0x5F53, 0x9F24]
  // Signed static data, ICC and ICC PIN encipherment certificates; the last digits of the number; JIS track 2.
  private static let zeroTags: Set<Tag> = [0x93, 0x9F46, 0x9F2D, 0x9F25, 0xDF4F]
  /// The data elements whose values are replaced as a whole.
  static let blankedTags = nameTags.union(digitTags).union(zeroTags)
  private static let membershipTag: Tag = 0x9F5B
  // Identifiers of applications, which are no names.
  private static let identifierTags: Set<Tag> = [.dfName, .adfName, .applicationIdentifier]

  /// Returns the value without cardholder data.
  func redacted(_ value: [UInt8]) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: value.count)
    guard let tag else { return Self.unknown(value, substitutes) }
    if isAnswer, isMalformed(tag, value) { return zeros }
    if tag == Self.numberTag { return number(value) ?? zeros }
    if Self.track2Tags.contains(tag) { return track2(value) ?? zeros }
    if tag == Self.track1Tag { return track1(value) ?? zeros }
    if Self.nameTags.contains(tag) { return [UInt8](repeating: 0x58, count: value.count) }
    if Self.digitTags.contains(tag) { return [UInt8](repeating: 0x30, count: value.count) }
    if Self.zeroTags.contains(tag) { return zeros }
    if tag == Self.membershipTag, Self.isMembershipNumber(value) { return value.map { _ in 0x30 } }
    guard AccountNumberSearch.isDefined(tag), !holdsPackedDigits(tag, value) else {
      return Self.unknown(value, substitutes)
    }
    if AccountNumberSearch.track2Number(value) != nil { return track2(value) ?? zeros }
    if !AccountNumberSearch.writtenNumbers(in: value).isEmpty, let fields = track1(value) { return fields }
    return Self.identifierTags.contains(tag)
      ? substitutes.swept(value) : substitutes.withoutNames(substitutes.swept(value))
  }

  /// Whether a data element for text holds other bytes, among them what looks like an account number.
  private func holdsPackedDigits(_ tag: Tag, _ value: [UInt8]) -> Bool {
    AccountNumberSearch.isBrokenText(tag, value) && !AccountNumberSearch.suspectedNumbers(in: value).isEmpty
  }

  /// Whether the dictionary does not allow the length, the AFL has an invalid entry, or the value holds another data
  /// object with an account number, because its length is too large.
  private func isMalformed(_ tag: Tag, _ value: [UInt8]) -> Bool {
    guard AccountNumberSearch.isDefined(tag), let element = DataElement.named(tag, application: application) else {
      return false
    }
    return !element.allows(value) || !AccountNumberSearch.swallowedNumbers(in: value).isEmpty
  }

  // 9F5B is a membership number for American Express and a list of tags, which is not text, for Mastercard.
  private static func isMembershipNumber(_ value: [UInt8]) -> Bool { value.allSatisfy { (0x20...0x7E).contains($0) } }

  private func number(_ value: [UInt8]) -> [UInt8]? {
    guard let number = PrimaryAccountNumber(compressedNumeric: value) else { return nil }
    let digits = substitutes[number].compressedNumeric
    return digits + [UInt8](repeating: 0xFF, count: value.count - digits.count)
  }

  private func track2(_ value: [UInt8]) -> [UInt8]? {
    Track2Fields(value)?.octets(with: { substitutes[$0] })
  }

  private func track1(_ value: [UInt8]) -> [UInt8]? {
    Track1Fields(value)?.octets(with: { substitutes[$0] })
  }

  /// Redacts bytes of unknown structure: known account numbers become substitutes, other long runs of decimal digits
  /// zeros, known names X.
  static func unknown(_ value: [UInt8], _ substitutes: Substitutes) -> [UInt8] {
    var octets = substitutes.sweptOfCertain(value)
    for run in AccountNumberSearch.decimalRuns(in: octets) where !isHarmless(octets, run) {
      for position in run { octets[position / 2] &= position % 2 == 0 ? 0x0F : 0xF0 }
    }
    // Digits with separators are not a run.
    return substitutes.withoutNames(substitutes.swept(octets))
  }

  // Substitutes stay, so that redacting again changes nothing.
  private static func isHarmless(_ octets: [UInt8], _ run: Range<Int>) -> Bool {
    let digits = run.map { $0 % 2 == 0 ? octets[$0 / 2] >> 4 : octets[$0 / 2] & 0x0F }
    return PrimaryAccountNumber(digits: digits.map { String($0) }.joined()).map(Substitutes.isHarmless) ?? false
  }
}

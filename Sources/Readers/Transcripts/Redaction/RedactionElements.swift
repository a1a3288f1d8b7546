internal import EMVData
internal import ISO7816
internal import Octets

/// Removes cardholder data from the value of one data element. The length stays.
struct ElementRedaction {
  let tag: Tag?
  /// The kernel whose definition of the tag applies; nil for the definition of the EMV books.
  let kernel: ContactlessKernel?
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
    guard Self.isKnown(tag) else { return Self.unknown(value, substitutes) }
    if AccountNumberSearch.track2Number(value) != nil { return track2(value) ?? zeros }
    if !AccountNumberSearch.writtenNumbers(in: value).isEmpty, let fields = track1(value) { return fields }
    return Self.swept(value, substitutes)
  }

  /// Whether the dictionary does not allow the length, the AFL has an invalid entry, or the value holds another data
  /// object with an account number, because its length is too large.
  private func isMalformed(_ tag: Tag, _ value: [UInt8]) -> Bool {
    guard Self.isKnown(tag), let element = DataElement.named(tag, kernel: kernel) else { return false }
    return !element.allows(value) || !AccountNumberSearch.swallowedNumbers(in: value).isEmpty
  }

  // 9F5B is a membership number for American Express and a list of tags, which is not text, for Mastercard.
  private static func isMembershipNumber(_ value: [UInt8]) -> Bool { value.allSatisfy { (0x20...0x7E).contains($0) } }

  // The content of the buffers and envelopes of kernels 2 and 8 (tags of three bytes) and of a card's life cycle data
  // is unknown, although the data elements have names.
  private static func isKnown(_ tag: Tag) -> Bool {
    tag.octetCount < 3 && tag != 0x9F7F && DataElement.named(tag) != nil
  }

  /// Returns the account numbers in a value that hardly occur by chance: those of the data elements for account numbers
  /// and tracks, and those in the text or track of another known element.
  static func accountNumbers(_ tag: Tag, _ value: [UInt8]) -> [PrimaryAccountNumber] {
    if let number = accountNumber(tag, value) { return [number] }
    guard isKnown(tag) else { return [] }
    return AccountNumberSearch.writtenNumbers(in: value) + [AccountNumberSearch.track2Number(value)].compactMap(\.self)
  }

  /// Returns the account number that the value of another known element is as a whole; nil for a list of records, whose
  /// bytes are digits too. A cryptogram can be one by chance.
  static func packedNumber(_ tag: Tag, _ value: [UInt8]) -> PrimaryAccountNumber? {
    isKnown(tag) && tag != .applicationFileLocator ? AccountNumberSearch.packedNumber(value) : nil
  }

  /// Returns the account number in the value of a data element for one, or nil.
  static func accountNumber(_ tag: Tag, _ value: [UInt8]) -> PrimaryAccountNumber? {
    if tag == numberTag { return PrimaryAccountNumber(compressedNumeric: value) }
    if track2Tags.contains(tag) { return Track2Fields(value)?.number }
    return tag == track1Tag ? Track1Fields(value)?.number : nil
  }

  /// Returns the name in a value without the spaces that fill it, or nil. Names of fewer than four letters are nil,
  /// because they occur in any text.
  static func name(_ tag: Tag, _ value: [UInt8]) -> [UInt8]? {
    let filled = nameTags.contains(tag) ? value : tag == track1Tag ? Track1Fields(value)?.name : nil
    let name = filled.map { Array($0.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()) }
    return name.flatMap { $0.count >= 4 && $0.contains { $0 != 0x58 && $0 != 0x20 } ? $0 : nil }
  }

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
  /// zeros.
  static func unknown(_ value: [UInt8], _ substitutes: Substitutes) -> [UInt8] {
    var octets = swept(value, substitutes)
    for run in AccountNumberSearch.decimalRuns(in: octets) where !isHarmless(octets, run) {
      for position in run { octets[position / 2] &= position % 2 == 0 ? 0x0F : 0xF0 }
    }
    return octets
  }

  // Substitutes stay, so that redacting again changes nothing.
  private static func isHarmless(_ octets: [UInt8], _ run: Range<Int>) -> Bool {
    let digits = run.map { $0 % 2 == 0 ? octets[$0 / 2] >> 4 : octets[$0 / 2] & 0x0F }
    return PrimaryAccountNumber(digits: digits.map { String($0) }.joined()).map(Substitutes.isHarmless) ?? false
  }

  /// Replaces known account numbers, packed or as text, by their substitutes.
  static func swept(_ value: [UInt8], _ substitutes: Substitutes) -> [UInt8] {
    var text = Array(value.hex.utf8)
    for (number, substitute) in substitutes.digits {
      text.replace(number, with: substitute, step: 1)
      text.replace(number.inHex, with: substitute.inHex, step: 2)
    }
    return (try? [UInt8](hex: String(decoding: text, as: UTF8.self))) ?? value
  }
}

extension [UInt8] {
  /// The hexadecimal digits of the text of decimal digits.
  var inHex: [UInt8] { flatMap { [0x33, $0] } }

  /// Replaces a run of bytes by another one of the same length.
  ///
  /// - Parameter step: The distance between the places where a run can begin.
  mutating func replace(_ run: [UInt8], with other: [UInt8], step: Int) {
    guard run.count == other.count, !run.isEmpty, run.count <= count else { return }
    for start in stride(from: 0, through: count - run.count, by: step) where self[start...].starts(with: run) {
      replaceSubrange(start..<start + run.count, with: other)
    }
  }
}

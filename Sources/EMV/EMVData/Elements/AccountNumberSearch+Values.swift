public import ISO7816

extension AccountNumberSearch {
  private static let counts = minimumDigits...PrimaryAccountNumber.counts.upperBound

  /// Returns the account number that a value is as a whole: 13 to 19 packed digits with a valid check digit, padded with
  /// F or not; nil for another value.
  public static func packedNumber(_ value: [UInt8]) -> PrimaryAccountNumber? {
    // Most values are shorter or longer, and the digits of long ones take time.
    (7...10).contains(value.count) ? PrimaryAccountNumber(compressedNumeric: value).flatMap(valid) : nil
  }

  /// Returns the account numbers that bytes hold as text: runs of 13 to 19 digits with a valid check digit, also in
  /// groups with separators.
  public static func writtenNumbers(in octets: [UInt8]) -> [PrimaryAccountNumber] {
    numbers(inText: octets, .ofCard)
  }

  /// Returns the account numbers of data objects that a wrong length has made a part of other bytes: after tag 5A and a
  /// length, and between tag 57 or 9F6B with a length and the separator D. Their check digits are valid.
  public static func swallowedNumbers(in octets: [UInt8]) -> [PrimaryAccountNumber] {
    octets.indices.dropLast(2).compactMap { start in
      guard [0x5A, 0x57, 0x6B].contains(octets[start]), octets[start] != 0x6B || start > 0 && octets[start - 1] == 0x9F
      else { return nil }
      let isNumber = octets[start] == 0x5A
      let value = octets[(start + 2)...].prefix(min(Int(octets[start + 1]), isNumber ? 10 : 19))
      if isNumber { return PrimaryAccountNumber(compressedNumeric: value).flatMap(valid) }
      return track2Number(value)
    }
  }

  /// Returns the account number of track 2 at the start of bytes: packed digits before the separator D, with a valid
  /// check digit.
  public static func track2Number(_ octets: some Sequence<UInt8>) -> PrimaryAccountNumber? {
    let nibbles = octets.flatMap { [$0 >> 4, $0 & 0x0F] }
    let digits = nibbles.prefix { $0 <= 9 }
    guard digits.count < nibbles.count, nibbles[digits.count] == 0x0D else { return nil }
    return number(digits.map { $0 + 0x30 })
  }

  /// Whether the value of a known data element that is not for account numbers holds one nevertheless.
  public static func findsNumber(in value: [UInt8], of tag: Tag) -> Bool {
    // The bytes of a list of records are digits too.
    tag != .applicationFileLocator && packedNumber(value) != nil || track2Number(value) != nil
      || !writtenNumbers(in: value).isEmpty || !swallowedNumbers(in: value).isEmpty
  }

  private static func number(_ digits: some Sequence<UInt8>) -> PrimaryAccountNumber? {
    PrimaryAccountNumber(digits: String(decoding: Array(digits), as: UTF8.self)).flatMap(valid)
  }

  private static func valid(_ number: PrimaryAccountNumber) -> PrimaryAccountNumber? {
    counts.contains(number.exposedDigits.utf8.count) && number.hasValidCheckDigit ? number : nil
  }
}

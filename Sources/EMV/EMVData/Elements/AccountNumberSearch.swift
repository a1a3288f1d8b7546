internal import Octets

/// Finds digits that look like an account number in bytes of unknown structure.
///
/// The search may find too much. It serves masking and redaction, never acceptance.
public enum AccountNumberSearch {
  /// The search ignores shorter runs: no scheme issues shorter account numbers.
  public static let minimumDigits = 13

  /// Whether digits have a length and first digits that schemes use, and a valid check digit
  /// (ISO/IEC 7812-1; the first digits are those of the card schemes' public ranges).
  public static func looksLikeAccountNumber(_ digits: some StringProtocol) -> Bool {
    looksLikeAccountNumber(Array(digits.utf8)[...])
  }

  private static func looksLikeAccountNumber(_ digits: ArraySlice<UInt8>) -> Bool {
    // The first digits are compared first because that is fast and excludes most runs.
    guard let first = digits.first, hasSchemeStart(first, digits.dropFirst().first ?? 0, digits.count) else {
      return false
    }
    return PrimaryAccountNumber(digits: String(decoding: digits, as: UTF8.self))?.hasValidCheckDigit ?? false
  }

  static func hasSchemeStart(_ first: UInt8, _ second: UInt8, _ count: Int) -> Bool {
    switch count {
    case 13: first == 0x34
    case 14: first == 0x33 && [0x30, 0x36, 0x38, 0x39].contains(second)
    case 15: first == 0x33 && [0x34, 0x37].contains(second)
    case 16...19: (0x32...0x36).contains(first)
    default: false
    }
  }

  /// Whether bytes contain such digits anywhere, packed or as text.
  public static func mayHoldAccountNumber(_ octets: [UInt8]) -> Bool {
    let packed = decimalRuns(in: octets).map { run in run.map { Self.digit(octets, at: $0) } }
    let written = octets.split { !(0x30...0x39).contains($0) }.map(Array.init)
    return (packed + written).contains(where: holdsAccountNumber)
  }

  /// Whether text contains such digits anywhere; other characters between the digits are ignored.
  public static func mayHoldAccountNumber(text: String) -> Bool {
    holdsAccountNumber(text.utf8.filter { (0x30...0x39).contains($0) })
  }

  private static func holdsAccountNumber(_ digits: [UInt8]) -> Bool {
    (minimumDigits...19).contains { count in
      count <= digits.count
        && (0...digits.count - count).contains { looksLikeAccountNumber(digits[$0..<$0 + count]) }
    }
  }

  /// Returns the runs of at least 13 decimal nibbles, as nibble offsets; offset 0 is the high nibble of the first
  /// byte.
  public static func decimalRuns(in octets: [UInt8]) -> [Range<Int>] { decimalRuns(in: octets, minimum: minimumDigits) }

  private static func decimalRuns(in octets: [UInt8], minimum: Int) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for position in 0...octets.count * 2 {
      if position < octets.count * 2, nibble(octets, at: position) <= 9 { continue }
      if position - start >= minimum { runs.append(start..<position) }
      start = position + 1
    }
    return runs
  }

  /// Returns bytes in hexadecimal with stars for the digits of long runs, packed or as text.
  ///
  /// - Parameter minimum: The length of the shortest run that is masked, in digits.
  public static func masked(_ octets: [UInt8], minimum: Int = minimumDigits) -> String {
    var digits = Array(octets.hex.utf8)
    for position in decimalRuns(in: octets, minimum: minimum).joined() { digits[position] = 0x2A }
    return String(decoding: digits, as: UTF8.self)
  }

  private static func nibble(_ octets: [UInt8], at position: Int) -> UInt8 {
    position % 2 == 0 ? octets[position / 2] >> 4 : octets[position / 2] & 0x0F
  }

  private static func digit(_ octets: [UInt8], at position: Int) -> UInt8 { 0x30 + nibble(octets, at: position) }
}

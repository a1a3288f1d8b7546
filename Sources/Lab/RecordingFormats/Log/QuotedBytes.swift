/// Bytes as Python prints them: `b'\x00\xa4\x04\x00\x0e2PAY'`, where each byte is a character or an escape sequence.
struct QuotedBytes {
  /// The bytes; at least one stands as an escape sequence, which text hardly ever has.
  let octets: [UInt8]
  /// The place after the closing quotation mark.
  let end: Int

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "\\"): 0x5C,
    UInt8(ascii: "'"): 0x27, UInt8(ascii: "\""): 0x22,
  ]

  /// Reads the bytes that begin at a place; nil when none do.
  init?(_ line: [UInt8], at start: Int) {
    guard start + 2 < line.count, line[start] == UInt8(ascii: "b"), [0x22, 0x27].contains(line[start + 1]) else {
      return nil
    }
    var (index, octets, hasEscape) = (start + 2, [UInt8](), false)
    while index < line.count, line[index] != line[start + 1] {
      guard line[index] == 0x5C else {
        octets.append(line[index])
        index += 1
        continue
      }
      guard let (octet, count) = Self.escape(line[(index + 1)...]) else { return nil }
      octets.append(octet)
      (index, hasEscape) = (index + 1 + count, true)
    }
    guard index < line.count, hasEscape else { return nil }
    (self.octets, end) = (octets, index + 1)
  }

  /// The byte of an escape sequence after its backslash, and the number of its characters.
  private static func escape(_ text: ArraySlice<UInt8>) -> (octet: UInt8, count: Int)? {
    guard let first = text.first else { return nil }
    if let octet = escapes[first] { return (octet, 1) }
    let digits = text.dropFirst().prefix(2).compactMap(\.hexadecimalDigit)
    return first == UInt8(ascii: "x") && digits.count == 2 ? (digits[0] << 4 | digits[1], 3) : nil
  }
}

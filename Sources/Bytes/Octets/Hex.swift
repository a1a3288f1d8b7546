extension Array where Element == UInt8 {
  /// Reads hexadecimal text and ignores white space.
  ///
  /// - Throws: `OctetsError` with the position, in characters, of the first error.
  public init(hex text: some StringProtocol) throws(OctetsError) {
    var octets: [UInt8] = []
    octets.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for (position, character) in text.enumerated() {
      if character.isWhitespace { continue }
      guard character.isASCII, let digit = character.hexDigitValue else {
        throw OctetsError(.notHexadecimal(character), at: position)
      }
      if let first = high {
        octets.append(first << 4 | UInt8(digit))
        high = nil
      } else {
        high = UInt8(digit)
      }
    }
    guard high == nil else { throw OctetsError(.oddDigitCount(octets.count * 2 + 1), at: text.count) }
    self = octets
  }

  /// Upper-case hexadecimal text without spaces.
  public var hex: String { span.hex }
}

extension ArraySlice<UInt8> {
  /// Upper-case hexadecimal text without spaces.
  public var hex: String { span.hex }
}

extension Span<UInt8> {
  /// Upper-case hexadecimal text without spaces.
  public var hex: String {
    var text = ""
    text.reserveCapacity(count * 2)
    for index in indices {
      for nibble in [self[index] >> 4, self[index] & 0x0F] {
        text.unicodeScalars.append(Unicode.Scalar(nibble < 10 ? 0x30 + nibble : 0x37 + nibble))
      }
    }
    return text
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// Upper-case hexadecimal text of the full width: `UInt16(0x61).hex` is `"0061"`.
  public var hex: String {
    let digits = String(self, radix: 16, uppercase: true)
    return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
  }
}

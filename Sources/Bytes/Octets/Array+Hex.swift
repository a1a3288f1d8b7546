extension Array where Element == UInt8 {
  /// Reads hexadecimal text and ignores white space.
  ///
  /// - Throws: `OctetsError` with the position, in characters, of the first error.
  public init(hex text: some StringProtocol) throws(OctetsError) {
    if let octets = Self.plain(hex: text.utf8) {
      self = octets
      return
    }
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

  /// Digits with white space of ASCII; nil for any other text. Characters take ten times as long.
  private static func plain(hex text: some Collection<UInt8>) -> [UInt8]? {
    var octets: [UInt8] = []
    octets.reserveCapacity(text.count / 2)
    var (high, hasHigh) = (0 as UInt8, false)
    for unit in text {
      let digit: UInt8
      switch unit {
      case 0x30...0x39: digit = unit &- 0x30
      case 0x41...0x46: digit = unit &- 0x37
      case 0x61...0x66: digit = unit &- 0x57
      case 0x20, 0x09...0x0D: continue
      default: return nil
      }
      if hasHigh { octets.append(high << 4 | digit) }
      (high, hasHigh) = (digit, !hasHigh)
    }
    return hasHigh ? nil : octets
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

/// Numbers in packed binary-coded decimal, two digits in a byte, as in the EMV formats `n` and `cn`
/// (EMV 4.4 Book 3, section 4.3).
public enum BinaryCodedDecimal {
  /// Decodes all digits of the bytes as one number.
  ///
  /// - Throws: `OctetsError` at the byte with a nibble above 9, or at which the number exceeds 64 bits.
  public static func value(of octets: Span<UInt8>) throws(OctetsError) -> UInt64 {
    var value: UInt64 = 0
    for index in octets.indices {
      for nibble in [octets[index] >> 4, octets[index] & 0x0F] {
        guard nibble <= 9 else { throw OctetsError(.notDecimal(nibble: nibble), at: index) }
        let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
        guard !overflow, tens <= UInt64.max - UInt64(nibble) else {
          throw OctetsError(.decimalTooLarge, at: index)
        }
        value = tens + UInt64(nibble)
      }
    }
    return value
  }

  /// Returns a number right-justified with leading zeros, or nil when it has more digits than `count` bytes hold.
  public static func octets(of value: UInt64, count: Int) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: count)
    var rest = value
    for index in stride(from: count - 1, through: 0, by: -1) {
      octets[index] = UInt8(rest % 10) | UInt8(rest / 10 % 10) << 4
      rest /= 100
    }
    return rest == 0 ? octets : nil
  }
}

/// Why octets could not be read, and where.
public struct OctetsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: Equatable, Sendable {
    /// More octets were asked for than are left.
    case truncated(needed: Int, available: Int)
    /// Octets are left although the value has ended.
    case trailing(count: Int)
    /// A character that is no hexadecimal digit.
    case notHexadecimal(Character)
    /// An odd number of hexadecimal digits.
    case oddDigitCount(Int)
    /// A nibble above 9 where binary-coded decimal is required.
    case notDecimal(nibble: UInt8)
    /// A binary-coded decimal number above 64 bits.
    case decimalTooLarge
  }

  /// What was wrong.
  public let code: Code
  /// The offset of the fault: octets in binary input, characters in text.
  public let offset: Int

  /// Creates an error at an offset.
  @inline(never)
  public init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// A sentence with the position, the value and the limit.
  public var description: String {
    switch code {
    case .truncated(let needed, let available):
      "input ends at offset \(offset): \(needed) octets needed, \(available) left"
    case .trailing(let count):
      "\(count) octets left over at offset \(offset)"
    case .notHexadecimal(let character):
      "character \(offset) is \"\(character)\", which is no hexadecimal digit"
    case .oddDigitCount(let count):
      "\(count) hexadecimal digits: an even number is needed"
    case .notDecimal(let nibble):
      "offset \(offset) holds nibble \(String(nibble, radix: 16, uppercase: true)), which is no decimal digit"
    case .decimalTooLarge:
      "the decimal number exceeds 64 bits at offset \(offset)"
    }
  }
}

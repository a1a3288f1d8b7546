/// The reason why bytes cannot be read, and its place.
public struct OctetsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of error.
  public enum Code: Equatable, Sendable {
    /// The input ends before the value.
    case truncated(needed: Int, available: Int)
    /// Bytes follow the value.
    case trailing(count: Int)
    /// A character is not a hexadecimal digit.
    case notHexadecimal(Character)
    /// The number of hexadecimal digits is odd.
    case oddDigitCount(Int)
    /// A nibble is above 9 in binary-coded decimal.
    case notDecimal(nibble: UInt8)
    /// A binary-coded decimal number exceeds 64 bits.
    case decimalTooLarge
  }

  /// The kind of error.
  public let code: Code
  /// The place of the error: an offset in bytes in binary input, in characters in text.
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
      "input ends at offset \(offset): \(needed) bytes needed, \(available) left"
    case .trailing(let count):
      "\(count.bytes) left over at offset \(offset)"
    case .notHexadecimal(let character):
      "character \(offset) is \"\(character)\", which is not a hexadecimal digit"
    case .oddDigitCount(let count):
      "\(count.counted("hexadecimal digit")): an even number is needed"
    case .notDecimal(let nibble):
      "offset \(offset) holds nibble \(String(nibble, radix: 16, uppercase: true)), which is not a decimal digit"
    case .decimalTooLarge:
      "the decimal number exceeds 64 bits at offset \(offset)"
    }
  }
}

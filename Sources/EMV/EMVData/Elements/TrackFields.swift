internal import Octets

/// The parts of track 2 equivalent data that redaction needs: account number, separator D and the rest, in half bytes.
public struct Track2Fields: Sendable {
  /// The account number.
  public let number: PrimaryAccountNumber
  /// The hexadecimal digits after the separator.
  private let rest: [UInt8]

  /// Reads the bytes; nil without account number or separator.
  public init?(_ octets: [UInt8]) {
    let text = Array(octets.hex.utf8)
    guard let separator = text.firstIndex(of: UInt8(ascii: "D")),
      let number = PrimaryAccountNumber(digits: String(decoding: text[..<separator], as: UTF8.self))
    else { return nil }
    self.number = number
    rest = Array(text[(separator + 1)...])
  }

  /// Returns the bytes with another account number of the same length. The seven digits of expiry date and service
  /// code stay, and so does the padding at the end. The digits between become zeros.
  public func octets(with substitute: (PrimaryAccountNumber) -> PrimaryAccountNumber) -> [UInt8]? {
    let padding = rest.reversed().prefix { $0 == UInt8(ascii: "F") }.count
    let kept = rest.prefix(min(7, rest.count - padding))
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: rest.count - padding - kept.count)
    let tail = kept + zeros + [UInt8](repeating: UInt8(ascii: "F"), count: padding)
    let text = Array(substitute(number).exposedDigits.utf8) + [UInt8(ascii: "D")] + tail
    return try? [UInt8](hex: String(decoding: text, as: UTF8.self))
  }
}

/// The parts of track 1 data that redaction needs: `B`, account number, `^`, name, `^` and the rest, as text.
/// A percent sign may stand before them.
public struct Track1Fields: Sendable {
  /// The account number.
  public let number: PrimaryAccountNumber
  /// The name with the spaces that fill it.
  public let name: [UInt8]
  private let start: [UInt8]
  private let rest: [UInt8]

  /// Reads the bytes; nil without account number or separators.
  public init?(_ octets: [UInt8]) {
    let parts = octets.split(separator: UInt8(ascii: "^"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let digits = parts[0].drop { $0 == UInt8(ascii: "%") }.drop { $0 == UInt8(ascii: "B") }
    guard let number = PrimaryAccountNumber(digits: String(decoding: digits, as: UTF8.self)) else { return nil }
    self.number = number
    start = Array(parts[0].prefix(parts[0].count - digits.count))
    name = Array(parts[1])
    rest = Array(parts[2])
  }

  /// Returns the bytes with another account number of the same length. The seven characters of expiry date and
  /// service code stay, the characters after them become zeros, and the name becomes X.
  public func octets(with substitute: (PrimaryAccountNumber) -> PrimaryAccountNumber) -> [UInt8]? {
    let separator = [UInt8(ascii: "^")]
    let hidden = [UInt8](repeating: UInt8(ascii: "X"), count: name.count)
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: max(0, rest.count - 7))
    return start + Array(substitute(number).exposedDigits.utf8) + separator + hidden + separator + rest.prefix(7)
      + zeros
  }
}

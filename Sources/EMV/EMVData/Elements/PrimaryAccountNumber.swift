internal import Octets

/// An account number of 8 to 19 digits (ISO/IEC 7812). Its description and its reflection are masked; only
/// `exposedDigits` and `compressedNumeric` have all digits.
public struct PrimaryAccountNumber: Hashable, Sendable, ContentConcealing {
  /// The lengths an account number can have.
  public static let counts = 8...19

  /// All digits, for the cryptogram and the host. They must not be logged.
  public let exposedDigits: String

  /// Creates an account number from its digits, or nil.
  public init?(digits: some StringProtocol) {
    guard Self.counts.contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    exposedDigits = String(digits)
  }

  /// Reads tag 5A: compressed numeric, padded with F (EMV 4.4 Book 3, section 4.3).
  public init?(compressedNumeric octets: some Sequence<UInt8>) {
    let digits = octets.map(\.hex).joined()
    // Only padding may follow the digits; an F between digits is malformed.
    let end = digits.lastIndex { $0 != "F" }.map(digits.index(after:)) ?? digits.startIndex
    self.init(digits: digits[..<end])
  }

  /// The bytes of tag 5A.
  public var compressedNumeric: [UInt8] {
    let digits = Array(exposedDigits.utf8).map { $0 - 0x30 } + (exposedDigits.utf8.count % 2 == 1 ? [0x0F] : [])
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Whether the last digit is a valid check digit (Luhn, ISO/IEC 7812-1 annex B).
  public var hasValidCheckDigit: Bool {
    let sum = exposedDigits.utf8.reversed().enumerated().reduce(0) { sum, item in
      let digit = Int(item.element) - 0x30
      return sum + (item.offset % 2 == 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2)
    }
    return sum % 10 == 0
  }

  /// The first six and the last four digits with stars for the others; below 13 digits only the last four.
  public var masked: String {
    let count = exposedDigits.utf8.count
    let kept = count >= 13 ? (6, 4) : (0, 4)
    return exposedDigits.prefix(kept.0) + String(repeating: "*", count: count - kept.0 - kept.1)
      + exposedDigits.suffix(kept.1)
  }

  /// The masked number.
  public var description: String { masked }
}

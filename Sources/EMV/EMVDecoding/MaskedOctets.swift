internal import EMVData
internal import Octets

/// Bytes in hexadecimal, with stars for the digits of account numbers. Other digits are shown.
struct MaskedOctets {
  /// The hexadecimal digits in ASCII.
  private var digits: [UInt8]
  private let octets: [UInt8]

  private static let star = UInt8(ascii: "*")

  /// Masks account numbers with a right check digit, packed or as text, and the rest of a track after a number.
  ///
  /// - Parameters:
  ///   - hidden: Half bytes that are masked too.
  ///   - minimum: The length of the shortest run of digits that is masked whatever its check digit; nil for no such run.
  init(_ octets: [UInt8], hiding hidden: Set<Int>, runsFrom minimum: Int? = nil) {
    self.octets = octets
    digits = Array((minimum.map { AccountNumberSearch.masked(octets, minimum: $0) } ?? octets.hex).utf8)
    let numbers = KnownNumbers(Self.numbers(in: octets))
    for place in numbers.places(in: octets).flatMap(\.digits) { digits[place] = Self.star }
    for place in hidden { digits[place] = Self.star }
    for place in digits.indices.dropLast() where digits[place] == Self.star {
      maskPackedTrack(from: place + 1)
      if !place.isMultiple(of: 2) { maskWrittenTrack(from: (place + 1) / 2) }
    }
  }

  var text: String { String(decoding: digits, as: UTF8.self) }

  private static func numbers(in octets: [UInt8]) -> [PrimaryAccountNumber] {
    AccountNumberSearch.suspectedNumbers(in: octets) + AccountNumberSearch.swallowedNumbers(in: octets)
      + [AccountNumberSearch.packedNumber(octets), AccountNumberSearch.track2Number(octets)].compactMap(\.self)
  }

  /// Masks expiry date, service code and the issuer's digits after the separator D of track 2.
  private mutating func maskPackedTrack(from separator: Int) {
    guard digits[separator] == UInt8(ascii: "D") else { return }
    for place in digits.indices[(separator + 1)...] {
      guard digits[place] == Self.star || (0x30...0x39).contains(digits[place]) else { return }
      digits[place] = Self.star
    }
  }

  /// Masks the digits after the separator of track 2 in text, and after that of track 1 all up to its end.
  private mutating func maskWrittenTrack(from separator: Int) {
    let rest = octets[separator...].dropFirst()
    let hidden =
      switch octets[separator] {
      case UInt8(ascii: "="), UInt8(ascii: "D"), UInt8(ascii: "d"): rest.prefix { (0x30...0x39).contains($0) }
      case UInt8(ascii: "^"): rest.prefix { $0 != UInt8(ascii: "?") && (0x20...0x7E).contains($0) }
      default: rest.prefix(0)
      }
    for place in hidden.startIndex * 2..<hidden.endIndex * 2 { digits[place] = Self.star }
  }
}

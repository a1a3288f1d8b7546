/// The data that a terminal writes into a track.
public struct DynamicTrackData: Hashable, Sendable {
  /// The card's code for the track.
  public let cvc3: CVC3
  /// Tag 9F6A: eight decimal digits, one digit in each nibble.
  public let unpredictableNumber: UInt32
  /// Tag 9F36.
  public let atc: UInt16
  /// Whether the card reported that the device verified the cardholder.
  public let isVerifiedOnDevice: Bool

  /// Creates the data.
  public init(cvc3: CVC3, unpredictableNumber: UInt32, atc: UInt16, isVerifiedOnDevice: Bool) {
    self.cvc3 = cvc3
    self.unpredictableNumber = unpredictableNumber
    self.atc = atc
    self.isVerifiedOnDevice = isVerifiedOnDevice
  }
}

extension TrackPositions {
  /// Returns the track with the digits of a transaction (EMV Contactless Book C-2, mag-stripe mode).
  ///
  /// The last character becomes the number of unpredictable digits; after a verification on the device it becomes that
  /// number plus 5, modulo 10. That rule was read from another implementation, not from a public recording.
  ///
  /// - Parameter octets: The card's value of tag 56 or 9F6B.
  /// - Returns: The track, or nil when it is malformed, when a position is outside its discretionary
  ///   data, or when the unpredictable number is not decimal.
  public func filled(_ octets: [UInt8], with data: DynamicTrackData) -> [UInt8]? {
    switch track {
    case .track1: Self.discretionaryData(track1: octets).flatMap { written(octets, $0, data, offset: 0x30) }
    case .track2:
      Self.discretionaryData(track2: Self.nibbles(octets)).flatMap { range in
        written(Self.nibbles(octets), range, data, offset: 0).map(Self.packed)
      }
    }
  }

  private func written(
    _ characters: [UInt8], _ range: Range<Int>, _ data: DynamicTrackData, offset: UInt8
  ) -> [UInt8]? {
    let random = (0..<8).map { UInt8(truncatingIfNeeded: data.unpredictableNumber >> ($0 * 4)) & 0x0F }
    let highest = [cvc3, unpredictableNumber, counter].compactMap(\.last).max() ?? 1
    guard !range.isEmpty, highest <= range.count, random.allSatisfy({ $0 <= 9 }) else { return nil }
    var result = characters
    // The order of the book: where positions overlap, the later digit replaces the earlier one.
    let parts = [
      (cvc3, Self.decimal(data.cvc3.value)), (unpredictableNumber, random), (counter, Self.decimal(data.atc)),
    ]
    for (positions, digits) in parts {
      for (place, position) in positions.enumerated() {
        result[range.upperBound - position] = offset + (place < digits.count ? digits[place] : 0)
      }
    }
    let last = unpredictableDigitCount + (data.isVerifiedOnDevice ? 5 : 0)
    result[range.upperBound - 1] = offset + UInt8(last % 10)
    return result
  }

  /// The decimal digits, lowest first.
  private static func decimal(_ value: UInt16) -> [UInt8] {
    String(value).utf8.reversed().map { $0 - 0x30 }
  }

  /// After the second field separator: four digits of expiry, three of service code, then the issuer's characters.
  private static func discretionaryData(track1 octets: [UInt8]) -> Range<Int>? {
    let separators = octets.indices.filter { octets[$0] == UInt8(ascii: "^") }
    guard separators.count == 2 else { return nil }
    return discretionaryData(octets, after: separators[1], end: octets.count) { (0x30...0x39).contains($0) }
  }

  /// After the field separator D: four digits of expiry, three of service code, the issuer's digits, then padding F.
  static func discretionaryData(track2 nibbles: [UInt8]) -> Range<Int>? {
    guard let separator = nibbles.firstIndex(of: 0x0D) else { return nil }
    let end = nibbles.last == 0x0F ? nibbles.count - 1 : nibbles.count
    guard nibbles[..<separator].allSatisfy({ $0 <= 9 }), nibbles[(separator + 1)..<end].allSatisfy({ $0 <= 9 }) else {
      return nil
    }
    return discretionaryData(nibbles, after: separator, end: end) { $0 <= 9 }
  }

  private static func discretionaryData(
    _ characters: [UInt8], after separator: Int, end: Int, isDigit: (UInt8) -> Bool
  ) -> Range<Int>? {
    let start = separator + 1 + 7
    guard start <= end, characters[(separator + 1)..<start].allSatisfy(isDigit) else { return nil }
    return start..<end
  }

  static func nibbles(_ octets: [UInt8]) -> [UInt8] { octets.flatMap { [$0 >> 4, $0 & 0x0F] } }

  private static func packed(_ nibbles: [UInt8]) -> [UInt8] {
    stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
  }
}

internal import EMVData
package import ISO7816

/// The positions in the discretionary data of a track where a terminal writes the digits of a transaction: tags
/// 9F62–9F64 for track 1, 9F65–9F67 for track 2 (EMV Contactless Book C-2, mag-stripe mode). Position 1 is the last
/// character of the track.
public struct TrackPositions: Hashable, Sendable {
  /// The track.
  public enum Track: Sendable, CaseIterable {
    /// Track 1: tag 56, ASCII.
    case track1
    /// Track 2: tag 9F6B, one digit in each nibble.
    case track2

    /// The length of the bitmaps: 6 bytes for track 1, 2 for track 2.
    public var bitmapCount: Int { self == .track1 ? 6 : 2 }

    /// The tags of the track, and of its PCVC3, PUNATC and NATC.
    package var tags: (data: Tag, cvc3: Tag, number: Tag, counter: Tag) {
      self == .track1 ? (.track1Data, 0x9F62, 0x9F63, 0x9F64) : (.track2Data, 0x9F65, .numberPositionsTrack2, 0x9F67)
    }
  }

  /// The maximum number of digits of an unpredictable number: 8, in tag 9F6A.
  public static let maximumUnpredictableDigits = 8

  /// The track.
  public let track: Track
  /// The number of digits of the unpredictable number in a track (nUN); it must be equal for both tracks.
  public let unpredictableDigitCount: Int

  /// The positions of the code, lowest first.
  let cvc3: [Int]
  /// The positions of the unpredictable number, lowest first.
  let unpredictableNumber: [Int]
  /// The positions of the counter, lowest first.
  let counter: [Int]

  /// Reads the three values of a track, or nil when a bit map has a wrong length, or when the counter has
  /// more digits than positions or leaves more than 8 for the unpredictable number.
  ///
  /// - Parameters:
  ///   - cvc3: PCVC3: tag 9F62 or 9F65.
  ///   - unpredictableNumberAndCounter: PUNATC: tag 9F63 or 9F66.
  ///   - counterDigits: NATC: tag 9F64 or 9F67.
  public init?(_ track: Track, cvc3: [UInt8], unpredictableNumberAndCounter: [UInt8], counterDigits: UInt8) {
    guard cvc3.count == track.bitmapCount, unpredictableNumberAndCounter.count == track.bitmapCount else { return nil }
    let shared = Self.positions(unpredictableNumberAndCounter)
    let remaining = shared.count - Int(counterDigits)
    guard (0...Self.maximumUnpredictableDigits).contains(remaining) else { return nil }
    self.track = track
    self.cvc3 = Self.positions(cvc3)
    unpredictableNumber = Array(shared.prefix(remaining))
    counter = Array(shared.suffix(Int(counterDigits)))
    unpredictableDigitCount = remaining
  }

  /// The bits that are set, counted from 1 at the right.
  private static func positions(_ bitmap: [UInt8]) -> [Int] {
    let bits = bitmap.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (1...UInt64.bitWidth).filter { bits >> UInt64($0 - 1) & 1 == 1 }
  }

  /// Returns an unpredictable number with the track's number of digits, the other digits zero: the value of tag 9F6A,
  /// one digit in each nibble.
  ///
  /// - Parameter random: Any random number.
  public func unpredictableNumber(from random: UInt32) -> UInt32 {
    var rest = random
    var digits: UInt32 = 0
    for _ in 0..<unpredictableDigitCount {
      digits = digits << 4 | rest % 10
      rest /= 10
    }
    return digits
  }
}

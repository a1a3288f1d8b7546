public import Ciphers

/// A dynamic card verification code of Mastercard's mag-stripe mode, tags 9F60 and 9F61: the response to COMPUTE
/// CRYPTOGRAPHIC CHECKSUM. No document about it is public; its last three digits were compared with those of an HSM.
public struct CVC3: Hashable, Sendable {
  /// The two bytes of tag 9F60 (track 1) or 9F61 (track 2).
  public let value: UInt16

  /// Creates a code from the value of a card.
  public init(_ value: UInt16) {
    self.value = value
  }

  /// Creates the code of one transaction. Allocates nothing.
  ///
  /// - Parameters:
  ///   - initialVector: The card's IVCVC3 for the track.
  ///   - unpredictableNumber: Tag 9F6A: up to eight decimal digits, one digit in each nibble.
  ///   - atc: The application transaction counter, tag 9F36.
  ///   - keys: The card's key for CVC3.
  public init(
    initialVector: UInt16, unpredictableNumber: UInt32, atc: UInt16, _ keys: borrowing TripleDESKeys,
    with index: Int = 0
  ) {
    let block = UInt64(initialVector) << 48 | UInt64(unpredictableNumber) << 16 | UInt64(atc)
    value = UInt16(truncatingIfNeeded: keys.encipher(block, with: index))
  }

  /// Returns the IVCVC3 of a track: the last two bytes of the retail MAC over the track of the card before any digit
  /// is written. An issuer personalises it.
  ///
  /// - Parameters:
  ///   - track: The value of tag 56 (track 1, ASCII) or 9F6B (track 2, one digit in each nibble).
  ///   - keys: The card's key for CVC3.
  public static func initialVector(
    of track: Span<UInt8>, _ keys: borrowing TripleDESKeys, with index: Int = 0
  ) -> UInt16 {
    var mac = RetailMAC()
    mac.absorb(track, keys, with: index)
    return UInt16(truncatingIfNeeded: mac.finish(.mandatory, keys, with: index))
  }

  /// The code in decimal, five digits with leading zeros. A track holds the last of them.
  public var digits: String {
    let decimal = String(value)
    return String(repeating: "0", count: 5 - decimal.count) + decimal
  }
}

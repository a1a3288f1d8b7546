internal import Octets

/// A dynamic card verification code of Mastercard's mag-stripe mode, tags 9F60 and 9F61: what a card answers to COMPUTE
/// CRYPTOGRAPHIC CHECKSUM. How it is made is in no public document; confirmed by a payment HSM's last three digits.
public struct CVC3: Hashable, Sendable {
  /// The two octets of tag 9F60 (track 1) or 9F61 (track 2).
  public let value: UInt16

  /// Takes a code that a card gave.
  public init(_ value: UInt16) {
    self.value = value
  }

  /// Makes the code of one transaction. Never allocates.
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

  /// The IVCVC3 of a track: the last two octets of the retail MAC over the track as the card has it, before any digit
  /// is filled in. An issuer puts it on the card.
  ///
  /// - Parameters:
  ///   - track: The value of tag 56 (track 1, ASCII) or 9F6B (track 2, one digit a nibble).
  ///   - keys: The card's key for CVC3.
  public static func initialVector(
    of track: Span<UInt8>, _ keys: borrowing TripleDESKeys, with index: Int = 0
  ) -> UInt16 {
    var mac = RetailMAC()
    mac.absorb(track, keys, with: index)
    return UInt16(truncatingIfNeeded: mac.finish(.mandatory, keys, with: index))
  }

  /// The code in decimal, five digits with zeros on the left: a track takes the last of them.
  public var digits: String {
    let decimal = String(value)
    return String(repeating: "0", count: 5 - decimal.count) + decimal
  }
}

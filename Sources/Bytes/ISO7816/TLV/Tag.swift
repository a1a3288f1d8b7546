internal import Octets

/// The tag of a BER-TLV data object, named by its raw bytes as EMV does: `0x9F38`, `0xBF0C`
/// (EMV 4.4 Book 3, annex B1).
public struct Tag: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  /// The raw bytes, the first in the highest place that is not zero.
  public let rawValue: UInt32

  /// Creates a tag from its raw bytes. Not checked: see `isWellFormed`.
  @inlinable
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates a tag from a literal such as `0x9F38`.
  @inlinable
  public init(integerLiteral value: UInt32) {
    self.init(rawValue: value)
  }

  /// The number of bytes, 1...4; tags of EMV have at most 3.
  @inlinable
  public var octetCount: Int {
    switch rawValue {
    case 0...0xFF: 1
    case 0x100...0xFFFF: 2
    case 0x1_0000...0xFF_FFFF: 3
    default: 4
    }
  }

  /// Whether the value consists of data objects (bit 6 of the first byte).
  @inlinable
  public var isConstructed: Bool {
    // The first byte moved to the highest place.
    rawValue << UInt32(rawValue.leadingZeroBitCount & 0x18) & 0x2000_0000 != 0
  }

  /// Whether the bytes form one tag of at most three bytes: low five bits of the first all set exactly when
  /// others follow, bit 8 set on each of these but the last.
  public var isWellFormed: Bool {
    let octets = encoded
    guard octets.count <= 3, octets[0] != 0 else { return false }
    guard octets.count > 1 else { return octets[0] & 0x1F != 0x1F }
    guard octets[0] & 0x1F == 0x1F, octets[octets.count - 1] & 0x80 == 0 else { return false }
    return octets.count == 2 || octets[1] & 0x80 != 0
  }

  /// The bytes for the wire.
  public var encoded: [UInt8] {
    (0..<octetCount).reversed().map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0 * 8)) }
  }

  /// Upper-case hexadecimal digits of the bytes.
  public var description: String { encoded.hex }

  /// Orders by the raw bytes.
  public static func < (left: Tag, right: Tag) -> Bool { left.rawValue < right.rawValue }
}

extension Tag {
  /// Reads the tag at the start of bytes (ISO/IEC 8825-1, 8.1.2); nil when it is cut off or longer than three bytes.
  public init?(prefixOf octets: ArraySlice<UInt8>) {
    guard let first = octets.first else { return nil }
    var raw = UInt32(first)
    if first & 0x1F == 0x1F {
      var rest = octets.dropFirst().prefix(2)
      repeat {
        guard let octet = rest.popFirst() else { return nil }
        raw = raw << 8 | UInt32(octet)
      } while raw & 0x80 != 0
    }
    self.init(rawValue: raw)
  }
}

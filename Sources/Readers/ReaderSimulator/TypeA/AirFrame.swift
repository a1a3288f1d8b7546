/// One frame of ISO/IEC 14443-3 type A in the field, checksum included where the sender added one.
package struct AirFrame: Equatable, Sendable {
  /// How it is modulated; a card of type A hears nothing else.
  package enum Modulation: Equatable, Sendable {
    case typeA
    case other
  }

  /// The octets.
  package var octets: [UInt8]
  /// How many bits of the last octet were sent, 1 to 7; 0 for all.
  package var lastBits: Int
  /// Whether a parity bit is wrong.
  package var isDamaged = false
  /// How it is modulated.
  package var modulation = Modulation.typeA

  /// A frame of whole octets, or one that ends within an octet.
  package init(_ octets: [UInt8], lastBits: Int = 0) {
    self.octets = octets
    self.lastBits = lastBits
  }

  /// A frame with its CRC_A behind it.
  package init(checked octets: [UInt8]) {
    self.init(octets + CRCA.octets(of: octets))
  }

  /// The octets before the checksum, or nil when it is wrong, or a parity bit is.
  package var checkedOctets: [UInt8]? {
    guard !isDamaged, lastBits == 0, octets.count > 2 else { return nil }
    let content = octets.dropLast(2)
    return CRCA.octets(of: content)[...] == octets.suffix(2) ? Array(content) : nil
  }

  /// How many bits are sent, parity bits, start and end of frame included.
  package var bitCount: Int {
    let whole = lastBits == 0 ? octets.count : max(octets.count - 1, 0)
    return whole * 9 + lastBits + 2
  }
}

/// The checksum of type A (ISO/IEC 14443-3:2018, annex B.1).
enum CRCA {
  /// The two octets behind a frame's content, the low one first.
  static func octets(of content: some Sequence<UInt8>) -> [UInt8] {
    var register: UInt16 = 0x6363
    for octet in content {
      var mixed = octet ^ UInt8(truncatingIfNeeded: register)
      mixed ^= mixed << 4
      let wide = UInt16(mixed)
      register = register >> 8 ^ wide << 8 ^ wide << 3 ^ wide >> 4
    }
    return [UInt8(truncatingIfNeeded: register), UInt8(register >> 8)]
  }
}

internal import ISO7816

/// One frame in the field (ISO/IEC 14443-3), with its checksum if the sender appended one.
package struct AirFrame: Equatable, Sendable {
  /// The modulation of a frame. A card receives only frames of its type.
  package enum Modulation: Equatable, Sendable {
    case typeA
    case typeB
    case other
  }

  /// The bytes.
  package var octets: [UInt8]
  /// How many bits of the last byte were sent, 1 to 7; 0 means all.
  package var lastBits: Int
  /// Whether a parity bit is wrong.
  package var isDamaged = false
  /// The modulation.
  package var modulation = Modulation.typeA

  /// Creates a frame of whole bytes, or one whose last byte is incomplete.
  package init(_ octets: [UInt8], lastBits: Int = 0) {
    self.octets = octets
    self.lastBits = lastBits
  }

  /// Creates a frame and appends its CRC_A or CRC_B.
  package init(checked octets: [UInt8], _ modulation: Modulation = .typeA) {
    self.init(Array(Self.checked(octets[...], modulation)))
    self.modulation = modulation
  }

  private static func checked(_ octets: ArraySlice<UInt8>, _ modulation: Modulation) -> ArraySlice<UInt8> {
    modulation == .typeB ? FrameChecksum.addedTypeB(to: octets) : FrameChecksum.added(to: octets)
  }

  /// The bytes before the checksum, or nil when the checksum or a parity bit is wrong.
  package var checkedOctets: [UInt8]? {
    guard !isDamaged, lastBits == 0, octets.count > 2 else { return nil }
    let content = octets.dropLast(2)
    return Self.checked(content, modulation) == octets[...] ? Array(content) : nil
  }

  /// How many bits are sent, parity bits, start and end of frame included.
  package var bitCount: Int {
    let whole = lastBits == 0 ? octets.count : max(octets.count - 1, 0)
    return whole * 9 + lastBits + 2
  }
}

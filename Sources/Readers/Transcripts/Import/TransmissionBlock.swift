/// A block of the half-duplex transmission protocol (ISO/IEC 14443-4:2018, 7.1) without its checksum.
enum TransmissionBlock: Equatable {
  /// An I-block: bytes of an APDU. A chained block is followed by more.
  case information(number: UInt8, isChained: Bool, octets: [UInt8])
  /// An R-block: an acknowledgement, or a request to repeat the last block.
  case receiveReady
  /// An S-block: DESELECT, or a waiting time extension (WTX).
  case supervisory

  /// Reads a frame without its checksum; nil when it is not a block.
  init?(_ frame: ArraySlice<UInt8>) {
    guard let control = frame.first else { return nil }
    let hasCardIdentifier = control & 0x08 != 0
    if control & 0xE2 == 0x02 {
      let header = 1 + (hasCardIdentifier ? 1 : 0) + (control & 0x04 != 0 ? 1 : 0)
      guard frame.count >= header else { return nil }
      self = .information(
        number: control & 1, isChained: control & 0x10 != 0, octets: Array(frame.dropFirst(header)))
    } else if control & 0xE6 == 0xA2 {
      self = .receiveReady
    } else if control & 0xC7 == 0xC2 {
      self = .supervisory
    } else {
      return nil
    }
  }

  /// Returns the control byte of an I-block without card identifier and node address.
  static func informationControl(number: UInt8, isChained: Bool) -> UInt8 { 0x02 | number | (isChained ? 0x10 : 0) }

  /// Returns the control byte of R(ACK).
  static func acknowledgement(number: UInt8) -> UInt8 { 0xA2 | number }
}

/// The checksums of ISO/IEC 14443-3:2018, 6.2.4 (type A) and 7.2 (type B). The low byte is sent first.
enum FrameChecksum {
  static func typeA(_ octets: some Sequence<UInt8>) -> UInt16 { reflected(octets, 0x6363) }
  static func typeB(_ octets: some Sequence<UInt8>) -> UInt16 { ~reflected(octets, 0xFFFF) }

  /// Returns whether a frame ends in a valid checksum of either type.
  static func isRight(_ frame: ArraySlice<UInt8>) -> Bool {
    guard frame.count > 2, let high = frame.last, let low = frame.dropLast().last else { return false }
    let checksum = UInt16(high) << 8 | UInt16(low)
    return typeA(frame.dropLast(2)) == checksum || typeB(frame.dropLast(2)) == checksum
  }

  /// Returns a frame with its checksum of type A.
  static func added(to frame: some Collection<UInt8>) -> ArraySlice<UInt8> {
    let checksum = typeA(frame)
    return (Array(frame) + [UInt8(truncatingIfNeeded: checksum), UInt8(truncatingIfNeeded: checksum >> 8)])[...]
  }

  private static func reflected(_ octets: some Sequence<UInt8>, _ start: UInt16) -> UInt16 {
    octets.reduce(into: start) { checksum, octet in
      checksum ^= UInt16(octet)
      for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0x8408 : checksum >> 1 }
    }
  }
}

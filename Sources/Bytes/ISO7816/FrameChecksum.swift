/// The checksums of ISO/IEC 14443-3:2018, 6.2.4 (type A) and 7.2 (type B). The low byte is sent first.
package enum FrameChecksum {
  package static func typeA(_ octets: some Sequence<UInt8>) -> UInt16 { reflected(octets, 0x6363) }
  package static func typeB(_ octets: some Sequence<UInt8>) -> UInt16 { ~reflected(octets, 0xFFFF) }

  /// Returns whether a frame ends in a valid checksum of either type.
  package static func isRight(_ frame: ArraySlice<UInt8>) -> Bool {
    guard frame.count > 2, let high = frame.last, let low = frame.dropLast().last else { return false }
    let checksum = UInt16(high) << 8 | UInt16(low)
    return typeA(frame.dropLast(2)) == checksum || typeB(frame.dropLast(2)) == checksum
  }

  /// Returns a frame with its checksum of type A.
  package static func added(to frame: some Collection<UInt8>) -> ArraySlice<UInt8> {
    adding(typeA(frame), to: frame)
  }

  /// Returns a frame with its checksum of type B.
  package static func addedTypeB(to frame: some Collection<UInt8>) -> ArraySlice<UInt8> {
    adding(typeB(frame), to: frame)
  }

  private static func adding(_ checksum: UInt16, to frame: some Collection<UInt8>) -> ArraySlice<UInt8> {
    (Array(frame) + [UInt8(truncatingIfNeeded: checksum), UInt8(truncatingIfNeeded: checksum >> 8)])[...]
  }

  private static func reflected(_ octets: some Sequence<UInt8>, _ start: UInt16) -> UInt16 {
    octets.reduce(into: start) { checksum, octet in
      checksum ^= UInt16(octet)
      for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0x8408 : checksum >> 1 }
    }
  }
}

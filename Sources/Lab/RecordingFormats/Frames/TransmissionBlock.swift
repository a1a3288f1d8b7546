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

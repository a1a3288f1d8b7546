/// The registers of the chip. Those named here have an effect; all others only keep what is written to them.
struct PN532Registers: Sendable {
  /// CIU_TxMode: checksum and modulation of sent frames (PN532 data sheet, 8.6.23).
  static let transmitMode: UInt16 = 0x6302
  /// CIU_RxMode: checksum and modulation of received frames.
  static let receiveMode: UInt16 = 0x6303
  /// CIU_ManualRCV: bit 5 leaves parity bits to the host.
  static let manualReceive: UInt16 = 0x630D
  /// CIU_Control: bits 1 to 3 count the bits that were received of the last byte.
  static let control: UInt16 = 0x633C
  /// CIU_BitFraming: bits 1 to 3 count the bits that are sent of the last byte.
  static let bitFraming: UInt16 = 0x633D

  private var values: [UInt16: UInt8] = [
    Self.transmitMode: 0x80, Self.receiveMode: 0x80, Self.manualReceive: 0x00, Self.control: 0x10,
  ]

  subscript(address: UInt16) -> UInt8 {
    get { values[address] ?? 0 }
    set { values[address] = newValue }
  }

  /// Whether the chip appends a checksum to each frame that it sends.
  var addsChecksum: Bool { self[Self.transmitMode] & 0x80 != 0 }
  /// Whether the chip checks and removes the checksum of each frame that it receives.
  var checksChecksum: Bool { self[Self.receiveMode] & 0x80 != 0 }

  /// The frame that the chip sends with these registers. If the host sets the parity bits itself, no card of type A
  /// accepts the frame, since parity bits are not simulated.
  func frame(_ octets: [UInt8]) -> AirFrame {
    var frame = addsChecksum ? AirFrame(checked: octets) : AirFrame(octets)
    frame.lastBits = Int(self[Self.bitFraming] & 0x07)
    let isTypeA = self[Self.transmitMode] & 0x03 == 0 && self[Self.manualReceive] & 0x10 == 0
    frame.modulation = isTypeA ? .typeA : .other
    return frame
  }

  /// Stores how many bits of the last byte were received.
  mutating func note(lastBits: Int) {
    self[Self.control] = self[Self.control] & 0xF8 | UInt8(lastBits & 0x07)
  }
}

/// The chip's registers, as far as they mean something here; all others keep what is written to them.
struct PN532Registers: Sendable {
  /// CIU_TxMode: checksum and modulation of what is sent (PN532 data sheet, 8.6.23).
  static let transmitMode: UInt16 = 0x6302
  /// CIU_RxMode: the same of what is received.
  static let receiveMode: UInt16 = 0x6303
  /// CIU_ManualRCV: bit 5 leaves parity bits to the host.
  static let manualReceive: UInt16 = 0x630D
  /// CIU_Control: bits 1 to 3 tell how many bits of the last octet came.
  static let control: UInt16 = 0x633C
  /// CIU_BitFraming: bits 1 to 3 tell how many bits of the last octet are sent.
  static let bitFraming: UInt16 = 0x633D

  private var values: [UInt16: UInt8] = [
    Self.transmitMode: 0x80, Self.receiveMode: 0x80, Self.manualReceive: 0x00, Self.control: 0x10,
  ]

  subscript(address: UInt16) -> UInt8 {
    get { values[address] ?? 0 }
    set { values[address] = newValue }
  }

  /// Whether the chip adds checksums to what it sends.
  var addsChecksum: Bool { self[Self.transmitMode] & 0x80 != 0 }
  /// Whether the chip checks and takes off checksums.
  var checksChecksum: Bool { self[Self.receiveMode] & 0x80 != 0 }

  /// A frame as the registers have it sent. A card of type A takes none in which the host sets the parity bits itself,
  /// since no such bit is simulated.
  func frame(_ octets: [UInt8]) -> AirFrame {
    var frame = addsChecksum ? AirFrame(checked: octets) : AirFrame(octets)
    frame.lastBits = Int(self[Self.bitFraming] & 0x07)
    let isTypeA = self[Self.transmitMode] & 0x03 == 0 && self[Self.manualReceive] & 0x10 == 0
    frame.modulation = isTypeA ? .typeA : .other
    return frame
  }

  /// Notes how many bits of the last octet came.
  mutating func note(lastBits: Int) {
    self[Self.control] = self[Self.control] & 0xF8 | UInt8(lastBits & 0x07)
  }
}

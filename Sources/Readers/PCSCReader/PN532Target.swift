/// The commands that make a PN532 a card, and what it answers (NXP UM0701-02, 7.2.9 and 7.3.14 to 7.3.21), in the order
/// of libnfc.
enum PN532Target {
  static let getData: UInt8 = 0x86
  static let setData: UInt8 = 0x8E
  static let getStatus: UInt8 = 0x8A
  private static let initialize: UInt8 = 0x8C

  /// A status octet, with bit 7 for more information clear.
  static let success: UInt8 = 0x00
  /// The terminal has deselected the card, or taken its field away.
  static let released: UInt8 = 0x29
  /// The first octet of the answer to `getStatus`.
  static let deselected: UInt8 = 0x02

  /// Field off; ISO/IEC 14443-4 PICC with answers by the chip; the antenna driver as libnfc has it (CIU_TxAuto).
  static let preparation: [[UInt8]] = [[0x32, 0x01, 0x00], [0x12, 0x30], [0x08, 0x63, 0x05, 0x04]]

  /// TgInitAsTarget: passive and as a PICC only, ATQA 0004, SAK 20; nothing for FeliCa and NFCIP-1.
  ///
  /// - Parameters:
  ///   - identifier: Four octets, of which the chip takes the last three.
  ///   - historicalBytes: At most 15.
  static func presentation(identifier: [UInt8], historicalBytes: [UInt8]) -> [UInt8] {
    let anticollision = [0x04, 0x00] + identifier.dropFirst() + [0x20]
    let others = [UInt8](repeating: 0, count: 18 + 10)
    return [initialize, 0x05] + anticollision + others + [0x00, UInt8(historicalBytes.count)] + historicalBytes
  }

  /// Whether the answer to a presentation tells of a terminal that speaks ISO-DEP: bit 4 of the mode.
  static func isSelected(_ answer: [UInt8]) -> Bool { (answer.first ?? 0) & 0x08 != 0 }
}

internal import Links

/// The commands that make a PN532 a terminal (an initiator), and its responses (NXP UM0701-02, 7.1 and 7.3.1 to 7.3.11),
/// in the order in which libnfc sends them.
enum PN532InitiatorCommands {
  /// SetParameters: the chip sends RATS. RFConfiguration: field off and on again, so that a card that is still selected
  /// receives REQA; few attempts per search.
  static let preparation: [[UInt8]] = [[0x12, 0x14]] + fieldReset + [[0x32, 0x05, 0x00, 0x01, 0x02]]

  /// RFConfiguration: field off and on again.
  static let fieldReset: [[UInt8]] = [[0x32, 0x01, 0x00], [0x32, 0x01, 0x01]]

  /// InListPassiveTarget: up to two cards of type A at 106 kbit/s. libnfc asks for one, and cannot detect a second card.
  static let list: [UInt8] = [0x4A, 0x02, 0x00]

  /// InListPassiveTarget: one card of type B at 106 kbit/s, of any application family.
  static let listTypeB: [UInt8] = [0x4A, 0x01, 0x03, 0x00]

  /// InDeselect of all cards.
  static let deselection: [UInt8] = [0x44, 0x00]

  /// InDataExchange with the first card.
  static let exchange: [UInt8] = [0x40, 0x01]

  /// Whether the response to a search has a card: it begins with their number.
  static func hasCard(_ answer: [UInt8]) -> Bool { (answer.first ?? 0) > 0 }

  /// Whether the response to `list` has more than one card.
  static func hasSeveralCards(_ answer: [UInt8]) -> Bool { (answer.first ?? 0) > 1 }

  /// Reads the first card in the response to `list`: number of cards, card number, ATQA, SAK, length of the UID, UID, ATS.
  ///
  /// - Returns: nil without a card that supports ISO-DEP.
  static func card(in answer: [UInt8]) -> FoundCard? {
    guard answer.count >= 6, answer[0] >= 1, answer[4] & 0x20 != 0 else { return nil }
    let end = 6 + Int(answer[5])
    guard answer.count > end, answer.count >= end + Int(answer[end]) else { return nil }
    return FoundCard(
      identifier: Array(answer[6..<end]), answerToSelect: Array(answer[end..<(end + Int(answer[end]))]))
  }

  /// Reads the card in the response to `listTypeB`: number of cards, card number, ATQB, length of the answer to ATTRIB, and that
  /// answer. The ATQB is 50, PUPI, application data, protocol information.
  ///
  /// - Returns: nil without a card that supports ISO-DEP.
  static func cardOfTypeB(in answer: [UInt8]) -> FoundCard? {
    guard answer.count >= 16, answer[0] >= 1, answer[2] == 0x50, answer[12] & 0x01 == 1, answer[14] >= 1 else {
      return nil
    }
    return FoundCard(
      identifier: Array(answer[3..<7]), historicalBytes: Array(answer[7..<14]) + [answer[15] & 0xF0])
  }

  /// The failure that a status byte reports, without its two upper bits; nil is success (UM0701-02, 7.1).
  static func failure(_ status: UInt8) -> LinkError.Code? {
    switch status & 0x3F {
    case 0x00: nil
    // Timeout, checksum, parity, framing, collision, protocol, format, UID check; a card that has left.
    case 0x01...0x06, 0x0A, 0x0B, 0x13, 0x23, 0x29...0x2B: .cardRemoved
    default: .transmissionFailed
    }
  }

  /// Whether the response continues in the next response.
  static func hasMore(_ status: UInt8) -> Bool { status & 0x40 != 0 }
}

/// The commands that make a PN532 a card (a target), and its responses (NXP UM0701-02, 7.2.9 and 7.3.14 to 7.3.21), in
/// the order in which libnfc sends them.
enum PN532TargetCommands {
  static let getData: UInt8 = 0x86
  static let setData: UInt8 = 0x8E
  static let getStatus: UInt8 = 0x8A
  private static let initialize: UInt8 = 0x8C

  /// The status byte for success, with bit 7 (more information) clear.
  static let success: UInt8 = 0x00
  /// The status byte after the terminal has deselected the card or switched its field off.
  static let released: UInt8 = 0x29
  /// The first byte of the response to `getStatus` after a deselection.
  static let deselected: UInt8 = 0x02

  /// Field off; ISO/IEC 14443-4 PICC whose protocol responses come from the chip; CIU_TxAuto as libnfc sets it.
  static let preparation: [[UInt8]] = [[0x32, 0x01, 0x00], [0x12, 0x30], [0x08, 0x63, 0x05, 0x04]]

  /// TgInitAsTarget: passive and PICC only, ATQA 0004, SAK 20; no parameters for FeliCa and NFCIP-1.
  ///
  /// - Parameters:
  ///   - identifier: Four bytes; the chip takes the last three.
  ///   - historicalBytes: At most 15.
  static func presentation(identifier: [UInt8], historicalBytes: [UInt8]) -> [UInt8] {
    let anticollision = [0x04, 0x00] + identifier.dropFirst() + [0x20]
    let others = [UInt8](repeating: 0, count: 18 + 10)
    return [initialize, 0x05] + anticollision + others + [0x00, UInt8(historicalBytes.count)] + historicalBytes
  }

  /// Whether the response to a presentation reports a terminal that supports ISO-DEP: bit 4 of the mode.
  static func isSelected(_ answer: [UInt8]) -> Bool { (answer.first ?? 0) & 0x08 != 0 }
}

internal import Links

/// The commands that make a PN532 a terminal, and what it answers (NXP UM0701-02, 7.1 and 7.3.1 to 7.3.11), in the order
/// of libnfc.
enum PN532Initiator {
  /// The chip does RATS; field off, so that a card that is still selected hears REQA, and on; few attempts per search.
  static let preparation: [[UInt8]] = [
    [0x12, 0x14], [0x32, 0x01, 0x00], [0x32, 0x01, 0x01], [0x32, 0x05, 0x00, 0x01, 0x02],
  ]

  /// InListPassiveTarget: one card of type A at 106 kbit/s.
  static let list: [UInt8] = [0x4A, 0x01, 0x00]

  /// InDataExchange with the first card.
  static let exchange: [UInt8] = [0x40, 0x01]

  /// Reads the answer to `list`: how many, number, ATQA, SAK, the identifier's length, the identifier, the ATS.
  ///
  /// - Returns: nil without a card that speaks ISO-DEP.
  static func card(in answer: [UInt8]) -> FoundCard? {
    guard answer.count >= 6, answer[0] >= 1, answer[4] & 0x20 != 0 else { return nil }
    let end = 6 + Int(answer[5])
    guard answer.count > end, answer.count >= end + Int(answer[end]) else { return nil }
    return FoundCard(
      identifier: Array(answer[6..<end]), answerToSelect: Array(answer[end..<(end + Int(answer[end]))]))
  }

  /// What a status octet without its two upper bits means; nil is success.
  static func failure(_ status: UInt8) -> LinkError.Code? {
    switch status & 0x3F {
    case 0x00: nil
    // Silence, checksum, parity, framing, collision, protocol, format, identifier; a card that has left.
    case 0x01...0x06, 0x0A, 0x0B, 0x13, 0x23, 0x29...0x2B: .cardRemoved
    default: .transmissionFailed
    }
  }

  /// Whether the response goes on with the next answer.
  static func hasMore(_ status: UInt8) -> Bool { status & 0x40 != 0 }
}

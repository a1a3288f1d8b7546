/// The chips of one family that a simulated reader can have. They share their commands and differ in a few of them.
public enum ChipModel: String, CaseIterable, Sendable {
  /// The oldest one, with shorter responses.
  case pn531
  /// The only one that runs ISO-DEP as a card, and that a host puts to sleep.
  case pn532
  /// The chip of most readers with a USB connector.
  case pn533
}

extension ChipModel {
  /// The response to GetFirmwareVersion. A PN531 reports version and revision alone; the other two the chip, its version,
  /// its revision, and what it supports: ISO/IEC 14443 A and B, ISO 18092.
  var firmware: [UInt8] {
    switch self {
    case .pn531: [0x04, 0x02]
    case .pn532: [0x32, 0x01, 0x06, 0x07]
    case .pn533: [0x33, 0x02, 0x07, 0x07]
    }
  }

  /// Whether the responses of register commands begin with a status byte.
  var reportsRegisterStatus: Bool { self == .pn533 }

  /// Whether it reports a found card as a PN531 does: ATQA as the card sends it, and an identifier with its cascade tags.
  var reportsCascade: Bool { self == .pn531 }

  /// Whether it finds cards of type B.
  var findsTypeB: Bool { self != .pn531 }

  /// Whether the chip has a command: one that it does not have gets an error frame.
  func has(_ command: PN532Command) -> Bool {
    switch command {
    case .samConfiguration, .powerDown: self != .pn533
    case .inAutoPoll: self == .pn532
    default: true
    }
  }
}

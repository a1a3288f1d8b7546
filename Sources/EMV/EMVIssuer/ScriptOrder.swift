public import ISO7816

/// A command that an issuer sends to a card (EMV 4.4 Book 3, 6.5).
public enum ScriptCommand: Hashable, Sendable {
  /// APPLICATION BLOCK.
  case blockApplication
  /// APPLICATION UNBLOCK.
  case unblockApplication
  /// CARD BLOCK.
  case blockCard
  /// PUT DATA of a tag of one or two bytes.
  case putData(Tag, [UInt8])

  /// CLA INS P1 P2 in secure messaging format 1: bits 4 and 3 of the class state that the MAC covers the header.
  var header: [UInt8] {
    switch self {
    case .blockApplication: [0x8C, 0x1E, 0x00, 0x00]
    case .unblockApplication: [0x8C, 0x18, 0x00, 0x00]
    case .blockCard: [0x8C, 0x16, 0x00, 0x00]
    case .putData(let tag, _): [0x8C, 0xDA] + ([0x00, 0x00] + tag.encoded).suffix(2)
    }
  }

  /// The data object 81 with the command's data; empty for a command without data.
  var dataObject: [UInt8] {
    if case .putData(_, let value) = self { TLVNode(0x81, value).encoded } else { [] }
  }
}

/// A script that waits for the next payment of a card.
public struct ScriptOrder: Hashable, Sendable {
  /// When a terminal sends the commands.
  public enum Moment: Hashable, Sendable {
    /// Template 71.
    case beforeSecondCryptogram
    /// Template 72.
    case afterSecondCryptogram
  }

  /// When a terminal sends the commands.
  public let moment: Moment
  /// Tag 9F18; nil for a script without one.
  public let identifier: UInt32?
  /// The commands, in order.
  public let commands: [ScriptCommand]

  /// Creates an order.
  public init(_ moment: Moment, identifier: UInt32? = nil, _ commands: [ScriptCommand]) {
    self.moment = moment
    self.identifier = identifier
    self.commands = commands
  }
}

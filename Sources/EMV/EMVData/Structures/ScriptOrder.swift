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

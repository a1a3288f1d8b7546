public import Documents

/// A command of the issuer that an operator orders for a card (EMV 4.4 Book 3, 6.5).
public struct CardScript: JSONMessage, Hashable {
  /// The commands.
  public enum Command: String, Hashable, Sendable, CaseIterable, Codable {
    /// APPLICATION BLOCK.
    case blockApplication
    /// APPLICATION UNBLOCK.
    case unblockApplication
    /// CARD BLOCK, which cannot be lifted.
    case blockCard
    /// PUT DATA.
    case putData
  }

  /// The command.
  public var command: Command
  /// The tag of `putData` in hexadecimal, one or two bytes; nil for another command.
  public var tag: String?
  /// The value of `putData` in hexadecimal; nil for another command.
  public var value: String?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:tag:value:),
    .choice("command", \.command),
    .text("tag", \.tag, 2...4),
    .text("value", \.value, 2...128))

  /// Creates a body.
  public init(_ command: Command, tag: String? = nil, value: String? = nil) {
    (self.command, self.tag, self.value) = (command, tag, value)
  }
}

/// An order that stands: the server sends its command with the response to each genuine payment of the card, until the order is
/// cancelled or replaced.
public struct CardScriptOrder: JSONMessage, Hashable {
  /// The identifier, chosen by the server, 1 to 64 characters.
  public var id: String
  /// The command.
  public var script: CardScript
  /// When it was ordered, in milliseconds since 1970.
  public var createdAt: Int64
  /// In how many responses it was sent.
  public var sent: Int
  /// When it was last sent, in milliseconds since 1970; nil before the first time.
  public var sentAt: Int64?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(id:script:createdAt:sent:sentAt:),
    .text("id", \.id, 1...64),
    .value("script", \.script),
    .number("createdAt", \.createdAt),
    .number("sent", \.sent, 0...Int.max),
    .number("sentAt", \.sentAt))

  /// Creates an order.
  public init(id: String, script: CardScript, createdAt: Int64, sent: Int, sentAt: Int64?) {
    (self.id, self.script, self.createdAt) = (id, script, createdAt)
    (self.sent, self.sentAt) = (sent, sentAt)
  }
}

/// The orders that stand for a card, the oldest first.
public struct CardScriptOrders: JSONMessage, Hashable {
  /// The orders.
  public var orders: [CardScriptOrder]

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:),
    .list("orders", \.orders))

  /// Creates a body.
  public init(_ orders: [CardScriptOrder]) { self.orders = orders }
}

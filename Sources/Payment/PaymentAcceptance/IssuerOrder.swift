public import ISO7816

/// What a test wants an issuer to respond to an online request, in place of what it would respond by itself.
public struct IssuerOrder: Hashable, Sendable {
  /// What the response holds as tag 91.
  public enum Authentication: Hashable, Sendable {
    /// The right one, where the issuer approves.
    case right
    /// The right one with one changed bit.
    case wrong
    /// None.
    case none
    /// These bytes.
    case octets([UInt8])
  }

  /// A command for the card. The issuer of a test adds its MAC.
  public enum Command: Hashable, Sendable {
    /// APPLICATION BLOCK.
    case blockApplication
    /// APPLICATION UNBLOCK.
    case unblockApplication
    /// CARD BLOCK.
    case blockCard
    /// PUT DATA of a tag of one or two bytes.
    case putData(Tag, [UInt8])
  }

  /// Commands in one template.
  public struct Script: Hashable, Sendable {
    /// Whether they follow the second cryptogram (template 72) or go before it (71).
    public let isAfterSecondCryptogram: Bool
    /// Tag 9F18; nil for a script without one.
    public let identifier: UInt32?
    /// The commands, in order.
    public let commands: [Command]

    /// Creates a script.
    public init(isAfterSecondCryptogram: Bool, identifier: UInt32? = nil, _ commands: [Command]) {
      self.isAfterSecondCryptogram = isAfterSecondCryptogram
      self.identifier = identifier
      self.commands = commands
    }
  }

  /// Whether a payment that the issuer would approve is declined.
  public var declines = false
  /// What the response holds as tag 91.
  public var authentication = Authentication.right
  /// The scripts, each with its MACs.
  public var scripts: [Script] = []
  /// Templates 71 and 72 that are sent as they are, behind the scripts.
  public var templates: [UInt8] = []
  /// How long the issuer takes, in milliseconds, 0 or more.
  public var delayMilliseconds = 0

  /// Creates an order that changes nothing.
  public init() {}
}

/// What the issuer has done to a card.
public enum CardCondition: String, Hashable, Sendable, CaseIterable {
  /// Nothing that stops it.
  case active
  /// One of its applications is blocked.
  case applicationBlocked = "application blocked"
  /// The whole card is blocked, for good.
  case cardBlocked = "card blocked"
}

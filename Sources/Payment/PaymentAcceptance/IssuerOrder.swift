public import EMVData

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

  /// Whether a payment that the issuer would approve is declined.
  public var declines = false
  /// What the response holds as tag 91.
  public var authentication = Authentication.right
  /// The scripts, each with its MACs.
  public var scripts: [ScriptOrder] = []
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

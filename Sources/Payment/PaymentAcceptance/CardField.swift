public import Links

/// The port to a reader's field for payments of more than one tap: cards come, leave, and come back.
public protocol CardField: ~Copyable {
  /// Waits for a card, powers it, lets the visitor drive it, and switches the field off. Blocks.
  ///
  /// - Parameters:
  ///   - hold: How long the last message stays on the display before the field is on again; zero for the first tap.
  ///     A reader that can tell waits until the card has left; another switches its field off and on.
  ///   - timeout: How long to wait at most, `hold` included.
  ///   - visitor: Drives the card; called once, unless this throws.
  /// - Throws: `LinkError`: `.timedOut` when no card came.
  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError)
}

/// Drives a card that has come to a field.
public protocol CardVisitor: ~Copyable {
  /// Takes one tap, to its end.
  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel)
}

/// How often and how long the same payment is tried again, after "see phone" and "present card again".
public struct RestartLimits: Hashable, Sendable {
  /// How many taps there may be after the first, 0 or more.
  public var count: Int
  /// From the first wait for a card: later, no further tap begins.
  public var duration: Duration

  /// Creates limits. Neither is in a book: Book A leaves them to the till.
  ///
  /// - Parameter count: 0 or more; less traps.
  public init(count: Int = 3, duration: Duration = .seconds(60)) {
    precondition(count >= 0, "a payment restarts 0 times or more, not \(count)")
    self.count = count
    self.duration = duration
  }
}

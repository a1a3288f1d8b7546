public import Octets

/// A reader's field: cards come, leave and come back, as payments of more than one tap need it.
public protocol CardField: ~Copyable {
  /// Waits for a card, powers it, calls the visitor with a channel to it, and switches the field off. Blocks.
  ///
  /// - Parameters:
  ///   - hold: How long the last message stays on the display before the field is on again; zero for the first tap.
  ///     A reader that can detect a removal waits until the card has left; another switches its field off and on.
  ///   - timeout: The longest wait for a card, `hold` included.
  ///   - visitor: Exchanges commands with the card. Called once, unless this function throws.
  /// - Throws: `LinkError`: `.timedOut` when no card came; `.severalCards` when more than one card is in the field, for a
  ///   reader that can detect it. The caller may then wait again.
  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError)

  /// Whether the card of the last visit has left the field, judged by the error that ended the visit. May block until
  /// the reader has noticed the removal.
  mutating func hasCardLeft(after error: LinkError) -> Bool
}

extension CardField where Self: ~Copyable {
  /// Whether the error is `.cardRemoved`.
  public mutating func hasCardLeft(after error: LinkError) -> Bool { error.code == .cardRemoved }
}

/// Exchanges commands with a card that has come to a field.
public protocol CardVisitor: ~Copyable {
  /// The hold time is over, and the field is on or about to be: the reader waits for a card. A field calls it before each
  /// wait; one that never waits may leave it out.
  mutating func fieldIsOn()

  /// Performs one tap. The field closes the channel afterwards.
  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel)
}

extension CardVisitor where Self: ~Copyable {
  /// A visitor without a display ignores it.
  public mutating func fieldIsOn() {}
}

/// The field of a reader that cannot detect whether a card stays: it is switched off and on for each tap.
public struct PoweredField<Channel: CardChannel & ~Copyable>: CardField {
  private let clock: any MonotonicClock
  private let open: (_ timeout: Duration) throws(LinkError) -> Channel

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - clock: Measures the wait for a card.
  ///   - open: Switches the field on, waits for a card for at most the time given, and opens a channel to it; throws
  ///     `LinkError`: `.timedOut` when no card came.
  public init(
    clock: any MonotonicClock = SystemClock(), open: @escaping (_ timeout: Duration) throws(LinkError) -> Channel
  ) {
    self.clock = clock
    self.open = open
  }

  /// Waits for `hold`, then for a card; closes its channel after the visit.
  public mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    let deadline = clock.now + timeout
    pause(for: min(hold, timeout))
    visitor.fieldIsOn()
    var channel = try open(max(deadline - clock.now, .zero))
    visitor.visit(&channel)
    channel.close()
  }
}

internal import EMVCard
internal import ISO7816
internal import Links
internal import Octets
internal import Synchronization

/// Whether the card is in a virtual field. Shared by the field, its channel and the card's link.
final class CardPresence: Sendable {
  private struct State {
    var isStopped = false
    var hasLeft = false
    /// When the last visit ended; nil before the first one.
    var lastSeen: Instant?
  }

  private let state = Mutex(State())
  private let comesBack: Bool
  private let absence: Duration

  /// Creates a card outside the field.
  ///
  /// - Parameters:
  ///   - comesBack: Whether a card that left comes back.
  ///   - absence: The time between two visits.
  init(comesBack: Bool, absence: Duration = .zero) { (self.comesBack, self.absence) = (comesBack, absence) }

  /// The card leaves the field; it comes back when it is a card that does.
  func leave() { state.withLock { $0.hasLeft = true } }

  /// The card's session has ended: no card comes any more.
  func stop() { state.withLock { $0.isStopped = true } }

  /// A visit has ended.
  func visited(at instant: Instant) { state.withLock { $0.lastSeen = instant } }

  var isHere: Bool { state.withLock { !$0.isStopped && !$0.hasLeft } }

  /// Brings the card to the field.
  ///
  /// - Returns: How long the terminal waits for it; nil when no card comes in time.
  func arrive(at now: Instant, within longest: Duration) -> Duration? {
    state.withLock { state in
      let wait = state.lastSeen.map { max(.zero, absence - (now - $0)) } ?? .zero
      guard !state.isStopped, !state.hasLeft || comesBack, wait <= max(.zero, longest) else { return nil }
      state.hasLeft = false
      return wait
    }
  }
}

/// The field of a terminal in this process whose waits advance a clock and take no time.
struct VirtualField<Card: CommandResponder & ~Copyable>: CardField, ~Copyable {
  private var card: Card?
  private let clock: ManualClock
  private let presence: CardPresence

  init(_ card: consuming Card, clock: ManualClock, presence: CardPresence) {
    self.card = consume card
    (self.clock, self.presence) = (clock, presence)
  }

  /// Returns the card.
  consuming func end() -> Card? { card }

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    clock.advance(by: max(.zero, min(hold, timeout)))
    visitor.fieldIsOn()
    guard let wait = presence.arrive(at: clock.now, within: timeout - hold), let card = card.take() else {
      clock.advance(by: max(.zero, timeout - hold))
      throw LinkError(.timedOut, "no card came within \(timeout.text)")
    }
    clock.advance(by: wait)
    var channel = VirtualChannel(card, clock: clock, presence: presence)
    visitor.visit(&channel)
    self.card = channel.end()
    presence.visited(at: clock.now)
  }
}

/// The times of a virtual field.
enum VirtualTime {
  /// The share of the link in an exchange. The share of the card is some 400 ms in a payment of some ten exchanges (EMV
  /// Contactless Book A, 10.2).
  static var exchange: Duration { .milliseconds(10) }
}

/// A channel to a card on the same thread. Each exchange takes the same time of the clock. Unlike `DirectChannel` it loses a
/// response on its way: the card has answered then, and the terminal gets nothing.
struct VirtualChannel<Card: CommandResponder & ~Copyable>: CardChannel, ~Copyable {
  private var card: Card
  private let clock: ManualClock
  private let presence: CardPresence
  private var isOpen = true

  init(_ card: consuming Card, clock: ManualClock, presence: CardPresence) {
    self.card = card
    (self.clock, self.presence) = (clock, presence)
    self.card.fieldChanged(.powered, at: clock.now)
  }

  var identity: CardIdentity { .contactless }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    try requirePresence()
    let count = card.respond(to: command, at: clock.now, into: &response)
    requireResponse(of: count, within: response.byteCount)
    clock.advance(by: VirtualTime.exchange)
    try requirePresence()
    card.responseSent()
    return count
  }

  private mutating func requirePresence() throws(LinkError) {
    guard isOpen, presence.isHere else {
      close()
      throw LinkError(.cardRemoved, "the card has left the field")
    }
  }

  mutating func close() {
    guard isOpen else { return }
    isOpen = false
    card.fieldChanged(.lost, at: clock.now)
  }

  consuming func end() -> Card {
    close()
    return card
  }
}

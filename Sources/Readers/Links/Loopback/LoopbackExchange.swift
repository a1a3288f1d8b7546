internal import ISO7816
internal import Octets

/// One command and the room for its response. Ownership passes from the terminal's thread to the card's thread and
/// back, so neither thread can touch memory that the other one uses; the bytes are copied once in each direction.
struct LoopbackExchange: ~Copyable {
  /// The terminal that sent the command: a late response must not reach the next terminal.
  let visit: UInt64
  var command = [UInt8](repeating: 0, count: Self.maximumCommandCount)
  var commandCount = 0
  var response = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
  var responseCount = 0

  /// Header, extended Lc, 65535 bytes of data, extended Le.
  static let maximumCommandCount = 4 + 3 + CommandAPDU.maximumDataCount + 2

  borrowing func copyResponse(into room: inout MutableRawSpan) {
    room.copy(response.span.extracting(0..<responseCount), to: 0)
  }
}

/// The state of a loopback: card, terminal and what is on its way between them. Pure: every method is one event.
struct LoopbackState: ~Copyable {
  private enum Card { case expected, presented, removed }
  private enum Terminal { case absent, waiting, connected }

  private var card = Card.expected
  private var terminal = Terminal.absent
  private var visit: UInt64 = 0
  /// The field events that the card has not received yet.
  private var fieldEvents: [FieldEvent] = []
  private var toCard: LoopbackExchange?
  private var toTerminal: LoopbackExchange?

  // MARK: The card's side

  enum CardEvent: ~Copyable {
    case field(FieldEvent)
    case command(LoopbackExchange)
    case end
  }

  enum Presentation { case accepted, alreadyPresented, stopped }

  mutating func present() -> Presentation {
    switch card {
    case .expected:
      card = .presented
      return .accepted
    case .presented: return .alreadyPresented
    case .removed: return .stopped
    }
  }

  /// The next thing for the card to do, or nil when it must wait.
  mutating func nextCardEvent() -> CardEvent? {
    if card == .removed { return .end }
    if !fieldEvents.isEmpty { return .field(fieldEvents.removeFirst()) }
    if let exchange = toCard.take() { return .command(exchange) }
    return nil
  }

  /// Takes a response, and leaves it with the caller when its terminal has left.
  ///
  /// - Returns: Whether the card is still in the field.
  mutating func deliver(_ exchange: inout LoopbackExchange?) -> Bool {
    guard card == .presented else { return false }
    if terminal == .connected, exchange?.visit == visit { toTerminal = exchange.take() }
    return true
  }

  mutating func remove() {
    card = .removed
    toCard = nil
    toTerminal = nil
  }

  // MARK: The terminal's side

  enum Connection { case connected(visit: UInt64), cardRemoved }

  /// - Returns: Whether the place is free. A second terminal is refused, not queued: a field holds one reader.
  mutating func approach() -> Bool {
    guard terminal == .absent else { return false }
    terminal = .waiting
    return true
  }

  /// Connects the waiting terminal, or returns nil while no card is presented.
  mutating func connection() -> Connection? {
    switch card {
    case .expected: return nil
    case .removed: return .cardRemoved
    case .presented:
      terminal = .connected
      visit += 1
      fieldEvents.append(.powered)
      return .connected(visit: visit)
    }
  }

  mutating func giveUp() {
    terminal = .absent
  }

  /// - Returns: Whether the command is on its way; false when the card was removed.
  mutating func post(_ exchange: inout LoopbackExchange?) -> Bool {
    guard card == .presented else { return false }
    toCard = exchange.take()
    return true
  }

  enum Answer: ~Copyable {
    case response(LoopbackExchange)
    case cardRemoved
  }

  /// The response, or nil when the terminal must wait.
  mutating func answer() -> Answer? {
    if let exchange = toTerminal.take() { return .response(exchange) }
    return card == .removed ? .cardRemoved : nil
  }

  mutating func reset() {
    fieldEvents.append(.reset)
  }

  mutating func depart() {
    terminal = .absent
    toCard = nil
    toTerminal = nil
    fieldEvents.append(.lost)
  }
}

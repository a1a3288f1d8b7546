internal import ISO7816
internal import Octets

/// One command and the room for its answer. It goes to the card and comes back, so neither side ever reaches into
/// memory that the other still uses, and the octets are copied once in each direction.
struct LoopbackExchange: ~Copyable {
  /// Which terminal sent it: a late answer must not reach the next one.
  let visit: UInt64
  var command = [UInt8](repeating: 0, count: Self.maximumCommandCount)
  var commandCount = 0
  var response = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
  var responseCount = 0

  /// Header, extended Lc, 65535 octets of data, extended Le.
  static let maximumCommandCount = 4 + 3 + CommandAPDU.maximumDataCount + 2

  init(visit: UInt64) {
    self.visit = visit
  }

  borrowing func copyResponse(into room: inout MutableRawSpan) {
    room.copy(response.span.extracting(0..<responseCount), to: 0)
  }
}

/// Where the card and the terminal of a loopback stand. Pure: every method is one event.
struct LoopbackState: ~Copyable {
  private enum Card { case expected, presented, gone }
  private enum Terminal { case away, waiting, there }

  private var card = Card.expected
  private var terminal = Terminal.away
  private var visit: UInt64 = 0
  /// What the card has not heard yet.
  private var fieldEvents: [FieldEvent] = []
  private var toCard: LoopbackExchange?
  private var toTerminal: LoopbackExchange?

  // MARK: The card's side

  enum Turn: ~Copyable {
    case wait
    case field(FieldEvent)
    case answer(LoopbackExchange)
    case leave
  }

  enum Presentation { case accepted, alreadyPresented, stopped }

  mutating func present() -> Presentation {
    switch card {
    case .expected:
      card = .presented
      return .accepted
    case .presented: return .alreadyPresented
    case .gone: return .stopped
    }
  }

  mutating func nextTurn() -> Turn {
    if card == .gone { return .leave }
    if !fieldEvents.isEmpty { return .field(fieldEvents.removeFirst()) }
    if let exchange = toCard.take() { return .answer(exchange) }
    return .wait
  }

  /// Takes an answer, and says no when its terminal has left in the meantime.
  mutating func deliver(_ exchange: inout LoopbackExchange?) -> Bool {
    guard card == .presented, terminal == .there, exchange?.visit == visit else { return false }
    toTerminal = exchange.take()
    return true
  }

  mutating func remove() {
    card = .gone
    toCard = nil
    toTerminal = nil
  }

  // MARK: The terminal's side

  enum Arrival { case wait, there(visit: UInt64), gone }

  /// A second terminal is refused, not queued: one field holds one reader.
  mutating func approach() -> Bool {
    guard terminal == .away else { return false }
    terminal = .waiting
    return true
  }

  mutating func arrive() -> Arrival {
    switch card {
    case .expected: return .wait
    case .gone: return .gone
    case .presented:
      terminal = .there
      visit += 1
      fieldEvents.append(.powered)
      return .there(visit: visit)
    }
  }

  mutating func giveUp() {
    terminal = .away
  }

  /// Whether the command is on its way; false when the card has gone.
  mutating func post(_ exchange: inout LoopbackExchange?) -> Bool {
    guard card == .presented else { return false }
    toCard = exchange.take()
    return true
  }

  enum Answer: ~Copyable {
    case wait
    case there(LoopbackExchange)
    case gone
  }

  mutating func answer() -> Answer {
    if let exchange = toTerminal.take() { return .there(exchange) }
    return card == .gone ? .gone : .wait
  }

  mutating func reset() {
    fieldEvents.append(.reset)
  }

  mutating func depart() {
    terminal = .away
    toCard = nil
    toTerminal = nil
    fieldEvents.append(.lost)
  }
}

internal import Dispatch
public import ISO7816
public import Octets
internal import Synchronization

/// A card and a terminal in one process: the link is the card's side, `connect(timeout:)` opens the terminal's.
///
/// The two sides run on threads of their own and meet for every command. One terminal at a time; after it has closed
/// its channel another may come, which is the second tap.
public final class Loopback: EmulationLink {
  private let state = Mutex(LoopbackState())
  private let cardWakes = DispatchSemaphore(value: 0)
  private let terminalWakes = DispatchSemaphore(value: 0)
  private let clock: any MonotonicClock
  private let responseTimeout: Duration
  private let identity: CardIdentity

  /// Creates a field with neither card nor terminal in it.
  ///
  /// - Parameters:
  ///   - identity: What the terminal is told of the card.
  ///   - responseTimeout: How long a terminal waits for one answer. A wallet holds commands for up to 5 s while its
  ///     user is being verified.
  ///   - clock: Where the instants of commands and field events come from.
  public init(
    identity: CardIdentity = .contactless, responseTimeout: Duration = .seconds(10),
    clock: any MonotonicClock = SystemClock()
  ) {
    self.identity = identity
    self.responseTimeout = responseTimeout
    self.clock = clock
  }

  // MARK: The card's side

  /// Presents a card and answers terminals until `stop()`.
  ///
  /// - Throws: `LinkError.Code.busy` when a card is in the field already.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    switch state.withLock({ $0.present() }) {
    case .stopped: return
    case .alreadyPresented: throw LinkError(.busy, "a card is in the field already: a loopback holds one")
    case .accepted: terminalWakes.signal()
    }
    var isPowered = false
    while true {
      switch state.withLock({ $0.nextTurn() }) {
      case .wait: cardWakes.wait()
      case .field(let event):
        isPowered = event != .lost
        responder.fieldChanged(event, at: clock.now)
      case .answer(var exchange):
        answer(&exchange, with: &responder)
        var answered = Optional(exchange)
        if state.withLock({ $0.deliver(&answered) }) { terminalWakes.signal() }
      case .leave:
        if isPowered { responder.fieldChanged(.lost, at: clock.now) }
        return
      }
    }
  }

  private func answer<Responder: CommandResponder & ~Copyable>(
    _ exchange: inout LoopbackExchange, with responder: inout Responder
  ) {
    // One reference to the same octets: a span of the command must not hold the whole exchange.
    let octets = exchange.command
    let command = octets.span.extracting(0..<exchange.commandCount)
    exchange.responseCount = exchange.response.withMutableOctets { room in
      let count = responder.respond(to: command, at: clock.now, into: &room)
      requireResponse(of: count, within: room.byteCount)
      return count
    }
  }

  /// Takes the card out of the field; a terminal that waits for its answer hears of it at once.
  public func stop() {
    state.withLock { $0.remove() }
    cardWakes.signal()
    terminalWakes.signal()
  }

  // MARK: The terminal's side

  /// Brings a terminal to the field and waits until a card is there. Blocks.
  ///
  /// - Parameter timeout: How long to wait for the card; zero asks only whether it is there.
  /// - Throws: `LinkError`: `.busy` while another terminal is there or waits, `.timedOut` without a card,
  ///   `.cardRemoved` after `stop()`.
  public func connect(timeout: Duration) throws(LinkError) -> LoopbackChannel {
    guard state.withLock({ $0.approach() }) else {
      throw LinkError(.busy, "another terminal is at the card: a loopback holds one at a time")
    }
    let deadline = DispatchTime(after: timeout)
    while true {
      switch state.withLock({ $0.arrive() }) {
      case .there(let visit):
        cardWakes.signal()
        return LoopbackChannel(of: self, visit: visit, identity: identity)
      case .gone:
        state.withLock { $0.giveUp() }
        throw LinkError(.cardRemoved, "the card was taken away for good: its side of the loopback was stopped")
      case .wait:
        guard terminalWakes.wait(timeout: deadline) == .timedOut else { continue }
        state.withLock { $0.giveUp() }
        throw LinkError(.timedOut, "no card was presented within \(timeout.text)")
      }
    }
  }

  /// Sends one command and waits for its answer.
  func exchange(_ posted: consuming LoopbackExchange) throws(LinkError) -> LoopbackExchange {
    var posted = Optional(posted)
    guard state.withLock({ $0.post(&posted) }) else { throw LinkError.cardTaken }
    cardWakes.signal()
    let deadline = DispatchTime(after: responseTimeout)
    while true {
      switch state.withLock({ $0.answer() }) {
      case .there(let answered): return answered
      case .gone: throw LinkError.cardTaken
      case .wait:
        guard terminalWakes.wait(timeout: deadline) == .timedOut else { continue }
        throw LinkError(.timedOut, "the card did not answer within \(responseTimeout)")
      }
    }
  }

  /// Resets the card.
  func reset() {
    state.withLock { $0.reset() }
    cardWakes.signal()
  }

  /// Takes the terminal away.
  func disconnect() {
    state.withLock { $0.depart() }
    cardWakes.signal()
  }
}

extension LinkError {
  fileprivate static var cardTaken: LinkError {
    LinkError(.cardRemoved, "the card was taken away: its side of the loopback was stopped")
  }
}

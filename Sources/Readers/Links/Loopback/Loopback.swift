public import ISO7816
public import Octets

/// A card and a terminal in one process: the link is the card's side, `connect(timeout:)` opens the terminal's side.
///
/// Each side runs on its own thread, and the threads hand every command over to each other. The loopback holds one
/// terminal at a time; when it has closed its channel, another one can connect, which is the next tap.
public final class Loopback: EmulationLink {
  private let state = WaitableState(LoopbackState())
  private let clock: any MonotonicClock
  private let responseTimeout: Duration
  private let identity: CardIdentity

  /// Creates a field without a card and without a terminal.
  ///
  /// - Parameters:
  ///   - identity: The card's identity as the terminal sees it.
  ///   - responseTimeout: How long a terminal waits for one response. A payment session may hold a command for 5 s
  ///     while the cardholder is being verified.
  ///   - clock: Gives the instants of commands and field events. The two timeouts are always measured in real time.
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
    switch state.update({ $0.present() }) {
    case .stopped: return
    case .alreadyPresented: throw LinkError(.busy, "a card is in the field already: a loopback holds one")
    case .accepted: break
    }
    var isPowered = false
    while true {
      switch state.wait(until: { $0.nextCardEvent() }) {
      case .none: continue
      case .field(let event):
        isPowered = event != .lost
        responder.fieldChanged(event, at: clock.now)
      case .command(var exchange):
        respond(to: &exchange, with: &responder)
        var answered = Optional(exchange)
        // A card that was removed while it computed does not answer.
        if state.update({ $0.deliver(&answered) }) { responder.responseSent() }
      case .end:
        if isPowered { responder.fieldChanged(.lost, at: clock.now) }
        return
      }
    }
  }

  private func respond<Responder: CommandResponder & ~Copyable>(
    to exchange: inout LoopbackExchange, with responder: inout Responder
  ) {
    // A second reference to the same bytes, so that the span of the command does not borrow the whole exchange.
    let octets = exchange.command
    let command = octets.span.extracting(0..<exchange.commandCount)
    exchange.responseCount = exchange.response.withMutableOctets { room in
      let count = responder.respond(to: command, at: clock.now, into: &room)
      requireResponse(of: count, within: room.byteCount)
      return count
    }
  }

  /// Takes the card out of the field. A terminal that waits for a response receives `cardRemoved` at once.
  public func stop() {
    state.update { $0.remove() }
  }

  // MARK: The terminal's side

  /// Brings a terminal to the field and waits until a card is there. Blocks.
  ///
  /// - Parameter timeout: How long to wait for the card; zero only checks whether it is there.
  /// - Throws: `LinkError`: `.busy` while another terminal is there or waits, `.timedOut` without a card,
  ///   `.cardRemoved` after `stop()`.
  public func connect(timeout: Duration) throws(LinkError) -> LoopbackChannel {
    guard state.update({ $0.approach() }) else {
      throw LinkError(.busy, "another terminal is at the card: a loopback holds one at a time")
    }
    switch state.wait(for: timeout, until: { $0.connection() }) {
    case .connected(let visit):
      // The card's thread waits for the field event that the connection has queued.
      state.update { _ in }
      return LoopbackChannel(of: self, visit: visit, identity: identity)
    case .cardRemoved:
      state.update { $0.giveUp() }
      throw LinkError(.cardRemoved, "the card's side of the loopback was stopped: no card comes any more")
    case nil:
      state.update { $0.giveUp() }
      throw LinkError(.timedOut, "no card was presented within \(timeout.text)")
    }
  }

  /// Sends one command and waits for its response.
  func exchange(_ posted: consuming LoopbackExchange) throws(LinkError) -> LoopbackExchange {
    var posted = Optional(posted)
    guard state.update({ $0.post(&posted) }) else { throw LinkError.cardStopped }
    switch state.wait(for: responseTimeout, until: { $0.answer() }) {
    case .response(let answered): return answered
    case .cardRemoved: throw LinkError.cardStopped
    case .none: throw LinkError(.timedOut, "the card did not answer within \(responseTimeout.text)")
    }
  }

  /// Resets the card.
  func reset() {
    state.update { $0.reset() }
  }

  /// Takes the terminal away.
  func disconnect() {
    state.update { $0.depart() }
  }
}

extension LinkError {
  fileprivate static var cardStopped: LinkError {
    LinkError(.cardRemoved, "the card was removed: its side of the loopback was stopped")
  }
}

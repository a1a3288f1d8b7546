internal import EMVTerminal
internal import ISO7816
internal import Links
internal import Octets

// The wire of one payment: assembles chained responses, times each exchange and records it.
struct Wire {
  // More than the shipped kernels send in a tap (`TerminalConfiguration.maximumCommandCount`). A card that answers with
  // 61xx or 6Cxx until this number of exchanges is given up.
  static let maximumExchangeCount = 1024

  let clock: any MonotonicClock
  private(set) var exchanges: [Exchange] = []
  // The card of each tap.
  private(set) var cards: [CardIdentity] = []
  // The index of this tap's first exchange.
  private var tapStart = 0

  init(clock: any MonotonicClock) {
    self.clock = clock
  }

  // The time of the last command until its response was complete. A response in parts (61xx) takes the time of all its
  // exchanges together: a distant card could otherwise hide the delay of the relay in the first of them.
  private(set) var lastElapsed = Duration.zero

  // Whether this tap has sent a command and got no response.
  var isUnanswered: Bool {
    exchanges.count > tapStart && exchanges[tapStart...].allSatisfy { $0.response == nil }
  }

  mutating func beginTap(with card: CardIdentity) {
    cards.append(card)
    tapStart = exchanges.count
  }

  mutating func transmit<Channel: CardChannel & ~Copyable>(
    _ command: CommandAPDU, _ phase: TransactionPhase, over channel: inout Channel
  ) throws(LinkError) -> ResponseAPDU {
    // Over contacts, T=0 holds data back behind a warning (EMV 4.4 Book 1, 9.3.1.1.4).
    let transport: ResponseAssembly.Transport = channel.identity.protocolName == "T=0" ? .characters : .blocks
    var assembly = ResponseAssembly(command: command, transport: transport)
    var next = command
    let first = exchanges.count
    while true {
      let response = try exchange(next, phase, over: &channel)
      do throws(ResponseAssemblyError) {
        switch try assembly.receive(response) {
        case .transmit(let following): next = following
        case .complete(let whole):
          lastElapsed = .nanoseconds(exchanges[first...].reduce(0) { $0 &+ $1.nanoseconds })
          return whole
        }
      } catch { throw LinkError(.protocolViolation, "\(error)") }
    }
  }

  private mutating func exchange<Channel: CardChannel & ~Copyable>(
    _ command: CommandAPDU, _ phase: TransactionPhase, over channel: inout Channel
  ) throws(LinkError) -> ResponseAPDU {
    guard exchanges.count - tapStart < Self.maximumExchangeCount else {
      throw LinkError(
        .protocolViolation,
        "the card wants more than \(Self.maximumExchangeCount) exchanges in one tap; take it off the reader")
    }
    let begun = clock.now
    do throws(LinkError) {
      let response = try channel.exchange(command)
      record(command, response, nil, phase, since: begun)
      return response
    } catch {
      record(command, nil, error.code, phase, since: begun)
      throw error
    }
  }

  private mutating func record(
    _ command: CommandAPDU, _ response: ResponseAPDU?, _ failure: LinkError.Code?, _ phase: TransactionPhase,
    since begun: Instant
  ) {
    exchanges.append(
      Exchange(
        number: exchanges.count + 1, tap: cards.count, phase: phase, command: command.encoded,
        response: response?.encoded, failure: failure, begun: begun, nanoseconds: (clock.now - begun).nanoseconds))
  }
}

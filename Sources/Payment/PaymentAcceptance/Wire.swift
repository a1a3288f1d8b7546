internal import EMVTerminal
internal import ISO7816
internal import Links
internal import Octets

// The wire of one payment: puts whole responses together, times each exchange and keeps it.
struct Wire {
  // The machine sends at most 316 commands in a tap; a card that stretches them with 61xx and 6Cxx beyond this number of
  // exchanges is not read to its end.
  static let maximumExchangeCount = 1024

  let clock: any MonotonicClock
  private(set) var exchanges: [Exchange] = []
  private var tap = 1
  // Where the exchanges of this tap begin.
  private var tapStart = 0

  init(clock: any MonotonicClock) {
    self.clock = clock
  }

  // How long the last command took, to the last octet of its answer: an answer in parts (61xx) takes all its exchanges
  // together, or a card far away could hide the way to it in the first.
  private(set) var lastElapsed = Duration.zero

  mutating func beginTap() {
    tap += exchanges.isEmpty ? 0 : 1
    tapStart = exchanges.count
  }

  mutating func transmit<Channel: CardChannel & ~Copyable>(
    _ command: CommandAPDU, _ phase: TransactionPhase, over channel: inout Channel
  ) throws(LinkError) -> ResponseAPDU {
    // Over contacts, T=0 keeps data back behind a remark (EMV 4.4 Book 1, 9.3.1.1.4).
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
      keep(command, response, phase, since: begun)
      return response
    } catch {
      keep(command, nil, phase, since: begun)
      throw error
    }
  }

  private mutating func keep(
    _ command: CommandAPDU, _ response: ResponseAPDU?, _ phase: TransactionPhase, since begun: Instant
  ) {
    exchanges.append(
      Exchange(
        number: exchanges.count + 1, tap: tap, phase: phase, command: command.encoded, response: response?.encoded,
        nanoseconds: (clock.now - begun).nanoseconds))
  }
}

import ISO7816
import Links
import Octets
import Synchronization

/// Where a tap is cut, as its terminal counts exchanges, from 1.
struct Cut: Sendable, CustomStringConvertible {
  enum Moment: String, CaseIterable, Sendable {
    /// The command is not sent.
    case before
    /// The card has the command, the terminal never gets the response.
    case within
    /// The terminal has the response; its next command finds no card.
    case after
  }

  let exchange: Int
  let moment: Moment

  /// Whether the card still worked on an exchange.
  func isSeen(exchange: Int) -> Bool { exchange < self.exchange || exchange == self.exchange && moment != .before }

  var description: String { "\(moment.rawValue) exchange \(exchange)" }
}

/// The terminal's side of a link that is cut.
struct CutChannel<Base: CardChannel & ~Copyable>: ~Copyable, CardChannel {
  private var base: Base
  private let cut: Cut?
  private let act: (inout Base) -> Void
  private var count = 0

  init(_ base: consuming Base, cut: Cut?, act: @escaping (inout Base) -> Void) {
    self.base = base
    self.cut = cut
    self.act = act
  }

  var identity: CardIdentity { base.identity }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    self.count += 1
    let moment = cut?.exchange == self.count ? cut?.moment : nil
    if moment == .before { act(&base) }
    let length = try base.transmit(command, into: &response)
    if moment == .within || moment == .after { act(&base) }
    if moment == .within { throw LinkError(.cardRemoved, "cut within the exchange") }
    return length
  }

  mutating func close() { base.close() }
}

/// A link that can be lost, and that notes the counters of the cryptograms its card computed.
final class LossyLink<Base: EmulationLink>: EmulationLink {
  let base: Base
  private let journal: CounterJournal
  private let within: Int?
  private let act: @Sendable (LossyLink<Base>) -> Void
  private let isLost = Atomic<Bool>(false)

  /// Creates a link.
  ///
  /// - Parameter within: The command at which the link is lost: the card has answered it, and the terminal has not received
  ///   the response.
  init(
    _ base: Base, journal: CounterJournal, within: Int? = nil,
    act: @escaping @Sendable (LossyLink<Base>) -> Void = { $0.lose() }
  ) {
    self.base = base
    self.journal = journal
    self.within = within
    self.act = act
  }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var watched = WatchedCard(card: consume responder) { [self] number, answer in
      journal.note(answer)
      if number == within { act(self) }
    }
    var failure: LinkError?
    do throws(LinkError) { try base.serve(&watched) } catch { failure = error }
    responder = watched.card
    if let failure { throw failure }
    if isLost.load(ordering: .acquiring) { throw LinkError(.terminalLost, "the reader was pulled out") }
  }

  func stop() { base.stop() }

  /// The link fails now.
  func lose() {
    isLost.store(true, ordering: .releasing)
    base.stop()
  }
}

private struct WatchedCard<Card: CommandResponder & ~Copyable>: ~Copyable, CommandResponder {
  var card: Card
  let watch: (Int, [UInt8]) -> Void
  private var count = 0

  init(card: consuming Card, watch: @escaping (Int, [UInt8]) -> Void) {
    self.card = card
    self.watch = watch
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    var buffer = [UInt8](repeating: 0, count: response.byteCount)
    let length = buffer.withMutableOctets { card.respond(to: command, at: instant, into: &$0) }
    count += 1
    watch(count, Array(buffer[..<length]))
    response.copy(buffer.span.extracting(0..<length), to: 0)
    return length
  }

  mutating func responseSent() { card.responseSent() }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) { card.fieldChanged(event, at: instant) }
}

/// The transaction counters of all cryptograms that a card computed, received by a terminal or not.
final class CounterJournal: Sendable {
  private let noted = Mutex<[UInt16]>([])

  var counters: [UInt16] { noted.withLock(\.self) }

  /// Only the answer with the cryptogram has a 9F36.
  func note(_ answer: [UInt8]) {
    let data = Array(answer.dropLast(2))
    guard let nodes = try? [TLVNode](parsing: data.span), let value = nodes.first(0x9F36)?.value, value.count == 2
    else { return }
    noted.withLock { $0.append(UInt16(value[0]) << 8 | UInt16(value[1])) }
  }
}

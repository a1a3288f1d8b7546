internal import EMVCard
internal import ISO7816
internal import Octets

/// A card on its link's thread, with an eye on what its session must know.
struct ServedCard: ~Copyable, CommandResponder {
  private var card: Card
  private let exchange: CardExchange
  private var toldPhase = CardPhase.idle
  private var hasToldRefusal = false

  init(image: CardImage, exchange: CardExchange) {
    card = Card(image: image)
    self.exchange = exchange
  }

  /// What was computed since the last arming.
  var record: TransactionRecord? { card.record }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    let wasEngaged = card.phase != .idle
    let record = card.record
    card.fieldChanged(event, at: instant)
    if wasEngaged, event != .powered { exchange.tell(.terminalLeft(record)) }
    toldPhase = .idle
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    // Never in the middle of a payment whose cryptogram is out: its records are still to be read.
    if card.phase < .cryptogramDelivered, let arming = exchange.take() { card.arm(arming) }
    let count = card.respond(to: command, at: instant, into: &response)
    if card.phase != toldPhase { tellPhase() }
    if card.refusal != nil, !hasToldRefusal {
      hasToldRefusal = true
      exchange.tell(.refusedExpired)
    }
    return count
  }

  private mutating func tellPhase() {
    if toldPhase == .idle { exchange.tell(.terminalCame) }
    if card.phase == .completed, let record = card.record { exchange.tell(.completed(record)) }
    toldPhase = card.phase
  }
}

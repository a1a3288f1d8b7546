internal import EMVCard
internal import ISO7816
internal import Octets

/// A card on its link's thread, with an eye on what its session must know.
struct ServedCard: ~Copyable, CommandResponder {
  private var card: Card
  private let exchange: CardExchange
  private var toldPhase = CardPhase.idle
  private var hasToldRefusal = false
  private var hasWaited = false
  private var hasFound = false
  private var hasMissed = false

  init(image: CardImage, directory: [UInt8]?, random: any RandomSource, exchange: CardExchange) {
    card = Card(image: image, directory: directory, random: random)
    self.exchange = exchange
  }

  /// What was computed since the last arming.
  var record: TransactionRecord? { card.record }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    let wasEngaged = card.phase != .idle
    let record = card.record
    card.fieldChanged(event, at: instant)
    if wasEngaged, event != .powered {
      // What was computed is spent: a terminal that is back at once waits until the card is armed again.
      if record != nil { exchange.hold() }
      exchange.tell(.terminalLeft(record, foundNothing: hasMissed && !hasFound))
    }
    toldPhase = .idle
    (hasWaited, hasFound, hasMissed) = (false, false, false)
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    if !hasWaited {
      hasWaited = true
      exchange.waitWhileHeld()
    }
    // Never in the middle of a payment whose cryptogram is out: its records are still to be read.
    if card.phase < .cryptogramDelivered, let arming = exchange.take() { card.arm(arming) }
    let count = card.respond(to: command, at: instant, into: &response)
    note(command, answeredWith: count)
    if card.phase != toldPhase { tellPhase() }
    if card.refusal != nil, !hasToldRefusal {
      hasToldRefusal = true
      exchange.tell(.refusedExpired)
    }
    return count
  }

  /// Whether a registered application was asked for by name, and found. The names of registered providers begin with A
  /// (ISO/IEC 7816-4:2013, 12.2.3.3); other names, as those of loyalty schemes, say nothing of the terminal's payments.
  private mutating func note(_ command: Span<UInt8>, answeredWith count: Int) {
    guard command.count > 5, command[1] == Instruction.select, command[2] == 0x04, command[5] & 0xF0 == 0xA0 else {
      return
    }
    // A status word alone is a refusal.
    if count > 2 { hasFound = true } else { hasMissed = true }
  }

  private mutating func tellPhase() {
    if toldPhase == .idle { exchange.tell(.terminalCame) }
    if card.phase == .completed, let record = card.record { exchange.tell(.completed(record)) }
    toldPhase = card.phase
  }
}

internal import EMVCard
internal import ISO7816
internal import Octets

/// A card on its link's thread; it sends its session a notice of each change that matters to the payment.
struct ServedCard: ~Copyable, CommandResponder {
  private var card: Card
  private let exchange: CardExchange
  private var reportedPhase = CardPhase.idle
  private var hasReportedRefusal = false
  private var hasWaited = false
  private var hasFound = false
  private var hasMissed = false
  /// Whether a tap was interrupted by a reset or a deselection and the field was not lost since.
  private var awaitsLoss = false

  init(image: CardImage, directory: [UInt8]?, random: any RandomSource, exchange: CardExchange) {
    card = Card(image: image, directory: directory, random: random)
    self.exchange = exchange
  }

  /// The latest cryptogram since the card was armed; nil before the first.
  var record: TransactionRecord? { card.record }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    let wasEngaged = card.phase != .idle
    let record = card.record
    card.fieldChanged(event, at: instant)
    let isInterruption = wasEngaged && event != .powered
    let isLossAfterInterruption = awaitsLoss && event == .lost
    if isInterruption || isLossAfterInterruption {
      // The use is spent: a terminal that returns at once waits until the session has decided on a further use.
      if record != nil { exchange.hold() }
      exchange.send(.terminalLeft(event, record, foundNothing: hasMissed && !hasFound))
      awaitsLoss = event != .lost
    }
    reportedPhase = .idle
    (hasWaited, hasFound, hasMissed) = (false, false, false)
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    if !hasWaited {
      hasWaited = true
      exchange.waitWhileHeld()
    }
    // Not in the middle of a payment whose cryptogram was handed out: its records are still to be read.
    if card.phase < .cryptogramDelivered, let arming = exchange.take() {
      card.arm(arming)
      hasReportedRefusal = false
    }
    let count = card.respond(to: command, at: instant, into: &response)
    note(command, answeredWith: count)
    if card.phase != reportedPhase { reportPhase() }
    if let refusal = card.refusal, !hasReportedRefusal {
      hasReportedRefusal = true
      exchange.send(.refused(refusal))
    }
    return count
  }

  /// Notes whether a registered application was selected by name, and found. The names of registered providers begin
  /// with A (ISO/IEC 7816-4:2013, 12.2.3.3). Other names, such as those of loyalty schemes, do not tell which payments
  /// the terminal accepts.
  private mutating func note(_ command: Span<UInt8>, answeredWith count: Int) {
    guard command.count > 5, command[1] == Instruction.select, command[2] == 0x04, command[5] & 0xF0 == 0xA0 else {
      return
    }
    // A status word alone is a refusal.
    if count > 2 { hasFound = true } else { hasMissed = true }
  }

  private mutating func reportPhase() {
    if reportedPhase == .idle { exchange.send(.terminalCame) }
    if card.phase == .completed, let record = card.record { exchange.send(.completed(record)) }
    reportedPhase = card.phase
  }
}

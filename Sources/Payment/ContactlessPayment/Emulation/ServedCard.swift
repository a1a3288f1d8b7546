internal import EMVCard
internal import ISO7816
internal import Octets

/// A card on its link's thread; it sends its session a notice of each change that matters to the payment.
struct ServedCard: ~Copyable, CommandResponder {
  private var card: Card
  private let exchange: CardExchange
  private let clock: any MonotonicClock
  private let limit: Instant
  private var reportedPhase = CardPhase.idle
  private var hasReportedRefusal = false
  /// Whether the card has given a cryptogram since it was armed.
  private var holdsCryptogram = false
  private var hasWaited = false
  private var hasFound = false
  private var hasMissed = false
  /// Whether a tap was interrupted by a reset or a deselection and the field was not lost since.
  private var awaitsLoss = false

  /// Creates an unarmed card.
  ///
  /// - Parameters:
  ///   - card: The card of the session.
  ///   - exchange: The session.
  ///   - clock: The session's clock, by which the card measures its deadline, whatever instants the link gives.
  ///   - limit: The instant at which the emulation ends: from then on the card has no keys.
  init(_ card: consuming Card, exchange: CardExchange, clock: any MonotonicClock, until limit: Instant) {
    self.card = card
    self.exchange = exchange
    self.clock = clock
    self.limit = limit
  }

  /// The latest cryptogram since the card was armed; nil before the first.
  var record: TransactionRecord? { card.record }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    let wasEngaged = card.phase != .idle
    let record = card.record
    card.fieldChanged(event, at: clock.now)
    let isInterruption = wasEngaged && event != .powered
    let isLossAfterInterruption = awaitsLoss && event == .lost
    if isInterruption || isLossAfterInterruption {
      // The use is spent: a terminal that returns at once waits until the session has decided on a further use.
      if record != nil { exchange.hold() }
      let isUnsuited = record == nil && card.refusal == .missingTerminalCapability
      exchange.send(.terminalLeft(event, record, foundNothing: isUnsuited || hasMissed && !hasFound))
      awaitsLoss = event != .lost
    }
    reportedPhase = .idle
    (hasWaited, hasFound, hasMissed) = (false, false, false)
  }

  /// Answers a command. Most commands need neither a key nor the time, so they cost no more than the card itself.
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    if hasWaited, !exchange.hasOrder {
      let count = card.respondWithoutPermission(to: command, into: &response)
      if count > 0 {
        report(command, answeredWith: count)
        return count
      }
    }
    return respondWithPermission(to: command, into: &response)
  }

  /// Answers a command for which the card may compute, or before which the card is armed or disarmed.
  @inline(never)
  private mutating func respondWithPermission(to command: Span<UInt8>, into response: inout MutableRawSpan) -> Int {
    if !hasWaited {
      hasWaited = true
      exchange.waitWhileHeld()
    }
    let now = clock.now
    // The session's own timer may be late.
    if now >= limit { exchange.revoke() }
    let isPermitted = exchange.beginCommand()
    prepareCard(isPermitted)
    let count = card.respond(to: command, at: now, into: &response)
    report(command, answeredWith: count)
    if let refusal = card.refusal, !hasReportedRefusal {
      hasReportedRefusal = true
      exchange.send(.refused(refusal))
    }
    if isPermitted, !exchange.endCommand(holdingCryptogram: holdsCryptogram) { exchange.send(.stopped(card.record)) }
    return count
  }

  /// Disarms a revoked card, and arms another one when an arming waits.
  private mutating func prepareCard(_ isPermitted: Bool) {
    guard isPermitted else { return card.disarm() }
    // Not in the middle of a payment whose cryptogram was handed out: its records are still to be read.
    guard card.phase < .cryptogramDelivered, let arming = exchange.take() else { return }
    card.arm(arming)
    (hasReportedRefusal, holdsCryptogram) = (false, false)
  }

  @inline(__always)
  private mutating func report(_ command: Span<UInt8>, answeredWith count: Int) {
    if !hasFound { note(command, answeredWith: count) }
    if card.phase != reportedPhase { reportPhase() }
  }

  /// Notes whether a payment application was selected by name, and whether any application was found.
  private mutating func note(_ command: Span<UInt8>, answeredWith count: Int) {
    // SELECT by name with data.
    guard command.count > 5, command.integer(at: 0, as: UInt32.self) >> 8 == 0x00_A404 else { return }
    // A status word alone is a refusal. The names of registered providers begin with A (ISO/IEC 7816-4:2013, 12.2.3.3).
    if count > 2 {
      hasFound = command[5] & 0xF0 == 0xA0
    } else if !hasMissed {
      hasMissed = isMissed(command)
    }
  }

  /// Whether a refused selection named a payment application that the card does not have. A card also gives a status
  /// word alone, 6Cxx, to the selection of its own application with a short Le.
  @inline(never)
  private func isMissed(_ command: Span<UInt8>) -> Bool {
    guard let layout = try? CommandLayout(parsing: command) else { return false }
    let name = command.extracting(layout.dataOffset..<layout.dataOffset + layout.dataCount)
    return PaymentProviders.contains(name) && !card.hasApplication(named: name)
  }

  @inline(never)
  private mutating func reportPhase() {
    if reportedPhase == .idle { exchange.send(.terminalCame) }
    if card.phase >= .cryptogramDelivered { holdsCryptogram = true }
    if card.phase == .completed, let record = card.record { exchange.send(.completed(record)) }
    reportedPhase = card.phase
  }
}

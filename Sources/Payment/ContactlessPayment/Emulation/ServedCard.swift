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
  /// Whether a SELECT or READ RECORD cannot have a notice for the session. See `settle`.
  private var isSettled = false
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
    (hasWaited, hasFound, hasMissed, isSettled) = (false, false, false, false)
    if event == .powered, exchange.hasOrder { armBeforeCommands() }
  }

  /// Arms the card when the field comes, while no terminal waits for a response.
  private mutating func armBeforeCommands() {
    let isPermitted = exchange.beginCommand()
    prepareCard(isPermitted)
    if isPermitted, !exchange.endCommand(holdingCryptogram: holdsCryptogram) { exchange.send(.stopped(card.record)) }
  }

  /// Answers a command. Most commands need neither a key nor the time, so they cost no more than the card itself.
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    // Each function is called last, so that the most frequent commands need no stack frame here.
    if isSettled, !exchange.hasOrder, command.count >= 2 {
      switch command.integer(at: 0, as: UInt16.self) {
      // SELECT and READ RECORD.
      case 0x00A4, 0x00B2: return card.respondWithoutPermission(to: command, into: &response)
      // GENERATE AC and COMPUTE CRYPTOGRAPHIC CHECKSUM ask for the use in every exchange that reaches them.
      case 0x80AE, 0x802A: return respondWithPermission(to: command, into: &response)
      default: break
      }
    }
    return respondAndReport(to: command, into: &response)
  }

  /// Answers a command of which the session may get a notice.
  @inline(never)
  private mutating func respondAndReport(to command: Span<UInt8>, into response: inout MutableRawSpan) -> Int {
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
      settle()
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
    settle()
  }

  /// Neither SELECT nor READ RECORD needs a permission. They have no notice once an application was found, except for the
  /// record that completes a payment.
  private mutating func settle() { isSettled = hasFound && card.phase != .cryptogramDelivered }
}

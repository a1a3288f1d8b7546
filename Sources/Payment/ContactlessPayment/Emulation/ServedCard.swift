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
  /// Whether the tap's first command has waited for its release and no notice is due.
  private var isReady = false
  private var hasFound = false
  private var hasMissed = false
  /// Whether the next GET PROCESSING OPTIONS is the first after a selection, which asks for the use.
  private var awaitsOptions = false
  /// The notices that wait until the link has passed on the response, or until the next command or field event.
  private var due: DueNotices = []
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
    responseSent()
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
    if event == .powered, exchange.hasOrder { armBeforeCommands() }
    reportedPhase = .idle
    (isReady, hasFound, hasMissed, awaitsOptions, isSettled) = (false, false, false, false, false)
  }

  /// Arms the card when the field comes, while no terminal waits for a response.
  private mutating func armBeforeCommands() {
    let isPermitted = exchange.beginCommand()
    prepareCard(isPermitted)
    if isPermitted { endCommand() }
    responseSent()
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
    if !isReady { makeReady() }
    if !exchange.hasOrder, !(awaitsOptions && command.isProcessingOptions) {
      let count = card.respondWithoutPermission(to: command, into: &response)
      if count > 0 {
        report(command, answeredWith: count)
        return count
      }
    }
    return respondWithPermission(to: command, into: &response)
  }

  /// Lets the first command of a tap wait while commands are held. Before a later one, sends the notices of a command whose
  /// link did not report that its response has left.
  private mutating func makeReady() {
    if due.isEmpty { exchange.waitWhileHeld() } else { sendDueNotices() }
    isReady = true
  }

  /// Answers a command for which the card may compute, or before which the card is armed or disarmed.
  @inline(never)
  private mutating func respondWithPermission(to command: Span<UInt8>, into response: inout MutableRawSpan) -> Int {
    awaitsOptions = false
    let now = clock.now
    // The session's own timer may be late.
    if now >= limit { exchange.revoke() }
    let isPermitted = exchange.beginCommand()
    prepareCard(isPermitted)
    let count = card.respond(to: command, at: now, into: &response)
    report(command, answeredWith: count)
    if !hasReportedRefusal, card.refusal != nil {
      hasReportedRefusal = true
      addDue(.refused)
    }
    if isPermitted { endCommand() }
    return count
  }

  /// Ends a permitted command. A session that has revoked the card in the meantime waits for a notice.
  @inline(__always)
  private mutating func endCommand() {
    if !exchange.endCommand(holdingCryptogram: holdsCryptogram) { addDue(.stopped) }
  }

  /// Disarms a revoked card, and arms another one when an arming waits.
  @inline(__always)
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
      awaitsOptions = hasFound
      settle()
    } else if !hasMissed {
      hasMissed = card.lacksApplication(selectedBy: command)
    }
  }

  @inline(never)
  private mutating func reportPhase() {
    if reportedPhase == .idle { addDue(.terminalCame) }
    if card.phase >= .cryptogramDelivered { holdsCryptogram = true }
    if card.phase == .completed { addDue(.completed) }
    reportedPhase = card.phase
    settle()
  }

  private mutating func addDue(_ notice: DueNotices) {
    due.insert(notice)
    (isReady, isSettled) = (false, false)
  }

  /// Neither SELECT nor READ RECORD needs a permission. They have no notice once an application was found, except for the
  /// record that completes a payment.
  private mutating func settle() { isSettled = hasFound && card.phase != .cryptogramDelivered && due.isEmpty }

  /// Sends the notices of the last command to the session, which may wake its thread.
  mutating func responseSent() {
    if !due.isEmpty { sendDueNotices() }
  }

  @inline(never)
  private mutating func sendDueNotices() {
    if due.contains(.terminalCame) { exchange.send(.terminalCame) }
    // At the limit the session ends, although the timer may be late.
    if due.contains(.completed), clock.now < limit, let record = card.record { exchange.send(.completed(record)) }
    if due.contains(.refused), let refusal = card.refusal { exchange.send(.refused(refusal)) }
    if due.contains(.stopped) { exchange.send(.stopped(card.record)) }
    due = []
    isReady = true
    settle()
  }
}

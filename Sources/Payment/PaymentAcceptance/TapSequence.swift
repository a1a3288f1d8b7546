internal import EMVTerminal
internal import Links
internal import Octets
internal import Transcripts

// The taps of one payment, from the first wait for a card to the receipt.
struct TapSequence: CardVisitor, ~Copyable {
  private let acceptance: PaymentAcceptance
  private let request: PaymentRequest
  private let deadline: Instant
  private var random: RecordingRandomSource
  private var transaction: TerminalTransaction
  private var wire: Wire
  private var restarts: [Restart] = []
  private var display: Display
  // Whether this tap has shown that the card may leave.
  private var isCardReadShown = false
  // Whether several cards were in the field when it was searched last.
  private var hasCollided = false
  // How long the last message stays on the display.
  private(set) var hold = Duration.zero
  private var step: TerminalTransaction.Step?
  // The host's response; nil while it was not asked.
  private var answer: AuthorizationResponse?
  // What the display shows before the next tap; nil for "present card".
  private var restartRequest: UserInterfaceRequest?
  // What asks for the next card; nil once it was shown.
  private var readyRequest: UserInterfaceRequest?
  // The link's error that ended this tap.
  private(set) var lost: LinkError?

  // The time limit begins with the first wait for a card.
  init(_ request: PaymentRequest, at acceptance: PaymentAcceptance) throws(AcceptanceFailure) {
    self.acceptance = acceptance
    self.request = request
    random = RecordingRandomSource(acceptance.random)
    transaction = try acceptance.transaction(for: request, random)
    wire = Wire(clock: acceptance.clock)
    display = Display(acceptance.display)
    deadline = acceptance.clock.now + acceptance.restarts.duration
  }

  var remaining: Duration { max(deadline - acceptance.clock.now, .zero) }

  // Start A, then start B or D. Returns an outcome when there is one without a card.
  mutating func beginTap() -> PaymentOutcome? {
    lost = nil
    isCardReadShown = false
    if restarts.isEmpty, !acceptance.configuration.isAutorun { show(.welcome, .idle) }
    // The whole payment is tried again: the host decides on the new cryptogram.
    if restarts.last?.start == .directory { answer = nil }
    let begun = restarts.isEmpty ? transaction.start() : transaction.restart()
    step = begun
    if case .outcome(let outcome) = begun { return outcome }
    readyRequest =
      restartRequest ?? UserInterfaceRequest(.presentCard, .readyToRead, language: transaction.language)
    return nil
  }

  // Until here the message of the last tap stays on the display.
  mutating func fieldIsOn() {
    if let readyRequest = exchange(&readyRequest, with: nil) { display.show(readyRequest) }
  }

  private mutating func show(_ message: CardholderMessage, _ status: UserInterfaceRequest.Status) {
    display.show(UserInterfaceRequest(message, status, language: transaction.language))
  }

  // Several cards are in the field (EMV Contactless Book B, 3.2.1.4).
  mutating func showCollision() {
    hasCollided = true
    show(.presentOneCardOnly, .processingError)
  }

  // After the last command, before the host is asked: the card may leave.
  private mutating func showCardRead(_ outcome: PaymentOutcome) {
    guard outcome.hasDataRecord, !isCardReadShown else { return }
    isCardReadShown = true
    show(.cardRead, .cardRead)
  }

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    guard var step else { preconditionFailure("a tap begins before its card comes") }
    fieldIsOn()
    wire.beginTap(with: channel.identity)
    // The collision is over (3.2.1.5).
    if hasCollided { show(.presentOneCardOnly, .readyToRead) }
    hasCollided = false
    show(.processing, .processing)
    while true {
      switch step {
      case .transmit(let command, let phase):
        do throws(LinkError) {
          let response = try wire.transmit(command, phase, over: &channel)
          step = transaction.receive(response, elapsed: wire.lastElapsed)
        } catch {
          lost = error
          step = .outcome(transaction.loseCard())
        }
      // The kernel needs the card for the host's answer: in this tap, or in the next one.
      case .outcome(let outcome):
        if outcome.onlineResponse != .presentAndHold { showCardRead(outcome) }
        guard outcome.onlineResponse != .none, let next = askHost(outcome) else {
          self.step = step
          return
        }
        step = next
      }
    }
  }

  // Asks the host once; nil without data for it, and when it was asked before.
  private mutating func askHost(_ outcome: PaymentOutcome) -> TerminalTransaction.Step? {
    guard answer == nil, outcome.kind == .onlineRequest, let request = outcome.authorizationRequest else { return nil }
    display.show(outcome.request)
    let answer: AuthorizationResponse
    var isCardHeld = true
    if let limit = outcome.removalTimeoutMilliseconds, outcome.onlineResponse == .presentAndHold {
      (answer, isCardHeld) = authorize(request, outcome, within: .milliseconds(limit))
    } else {
      answer = acceptance.host.authorize(request)
    }
    self.answer = answer
    return transaction.finish(answer.hostResponse, isCardHeld: isCardHeld)
  }

  // Asks the host while the card stays powered; after the time limit the cardholder may remove it.
  private mutating func authorize(
    _ request: AuthorizationRequest, _ outcome: PaymentOutcome, within limit: Duration
  ) -> (AuthorizationResponse, isCardHeld: Bool) {
    // A replay takes the verdict of the recorded terminal, whose host was slower than the recorded one is.
    if acceptance.findings.removalTimedOut {
      showCardRead(outcome)
      return (acceptance.host.authorize(request), false)
    }
    let host = acceptance.host
    let inquiry = DedicatedThread(named: "host") { host.authorize(request) }
    if let answer = inquiry.join(timeout: limit) { return (answer, true) }
    showCardRead(outcome)
    return (inquiry.join(), false)
  }

  // Whether the first card failed before its first response: then no payment has begun with it.
  var isFirstCardSilent: Bool { restarts.isEmpty && lost != nil && wire.isUnanswered }

  // Forgets a card that only passed the reader, and begins the payment anew.
  mutating func forgetTap() throws(AcceptanceFailure) {
    random = RecordingRandomSource(acceptance.random)
    transaction = try acceptance.transaction(for: request, random)
    wire = Wire(clock: acceptance.clock)
    display.reset()
  }

  // The outcome of a payment with one tap.
  mutating func endOnlyTap() throws(AcceptanceFailure) -> PaymentOutcome {
    guard case .outcome(let outcome)? = step else { preconditionFailure("a tap ends in an outcome") }
    if let lost, outcome.restart != nil { throw failure(lost, outcome) }
    // Without a second tap the host's verdict stands.
    return outcome.restart == .issuerUpdate ? transaction.giveUp(.count(0)) : outcome
  }

  // The outcome, or nil when another tap follows.
  mutating func endTap() throws(AcceptanceFailure) -> PaymentOutcome? {
    guard case .outcome(let outcome)? = step else { preconditionFailure("a tap ends in an outcome") }
    let limit = limit
    if let lost, outcome.restart == .directory,
      limit != nil || ![.cardRemoved, .transmissionFailed, .timedOut].contains(lost.code)
    {
      throw failure(lost, outcome)
    }
    guard let start = outcome.restart, acceptance.restarts.count > 0 || start == .issuerUpdate else { return outcome }
    if let limit = start == .issuerUpdate ? updateLimit : limit { return transaction.giveUp(limit) }
    restarts.append(
      Restart(
        start: start, kind: outcome.kind, message: outcome.message, failure: outcome.failure,
        exchangeCount: wire.exchanges.count))
    hold = .milliseconds(max(outcome.holdMilliseconds, outcome.fieldOffMilliseconds ?? 0))
    display.show(outcome.request)
    restartRequest = outcome.restartRequest
    return nil
  }

  private var limit: TerminalTransaction.RestartLimit? {
    if restarts.count >= acceptance.restarts.count { return .count(acceptance.restarts.count) }
    return timeLimit
  }

  // The issuer's response belongs to the payment, so that the first presentment for it is no other try.
  private var updateLimit: TerminalTransaction.RestartLimit? {
    let allowed = max(1, acceptance.restarts.count)
    return restarts.count { $0.start == .issuerUpdate } >= allowed ? .count(allowed) : timeLimit
  }

  private var timeLimit: TerminalTransaction.RestartLimit? {
    remaining > .zero ? nil : .time(acceptance.restarts.duration)
  }

  // No card came. After a tap that was to be tried again this is the time limit; before any, it is the link's failure.
  mutating func end(without error: LinkError) throws(AcceptanceFailure) -> PaymentOutcome {
    let outcome = transaction.loseCard()
    guard error.code == .timedOut, !restarts.isEmpty else { throw failure(error, outcome) }
    return transaction.giveUp(.time(acceptance.restarts.duration))
  }

  // Asks the host when the outcome is an online request.
  mutating func receipt(_ outcome: PaymentOutcome) -> PaymentReceipt {
    var outcome = outcome
    if case .outcome(let answered)? = askHost(outcome) { outcome = answered }
    display.show(outcome.request)
    return PaymentReceipt(
      outcome: outcome, answer: answer, application: transaction.application, failures: transaction.failures,
      record: record)
  }

  private mutating func failure(_ error: LinkError, _ outcome: PaymentOutcome) -> AcceptanceFailure {
    display.show(outcome.request)
    return AcceptanceFailure(cause: .link(error), outcome: outcome, failures: transaction.failures, record: record)
  }

  private var record: PaymentRecord {
    PaymentRecord(
      request: request, restartLimit: acceptance.restarts.count, cards: wire.cards, exchanges: wire.exchanges,
      restarts: restarts, messages: display.shown, random: random.drawn, findings: transaction.findings,
      memories: transaction.memories)
  }
}

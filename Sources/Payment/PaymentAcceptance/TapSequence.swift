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
  // How long the last message stays on the display.
  private(set) var hold = Duration.zero
  private var step: TerminalTransaction.Step?
  // The host's response; nil while it was not asked.
  private var answer: AuthorizationResponse?
  // The link's error that ended this tap.
  private(set) var lost: LinkError?

  // The time limit begins with the first wait for a card.
  init(_ request: PaymentRequest, at acceptance: PaymentAcceptance) throws(AcceptanceFailure) {
    self.acceptance = acceptance
    self.request = request
    random = RecordingRandomSource(acceptance.random)
    transaction = try acceptance.transaction(for: request, random)
    wire = Wire(clock: acceptance.clock)
    deadline = acceptance.clock.now + acceptance.restarts.duration
  }

  var remaining: Duration { max(deadline - acceptance.clock.now, .zero) }

  // Start A, then start B or D. Returns an outcome when there is one without a card.
  mutating func beginTap() -> PaymentOutcome? {
    lost = nil
    // The whole payment is tried again: the host decides on the new cryptogram.
    if restarts.last?.start == .directory { answer = nil }
    let begun = restarts.isEmpty ? transaction.start() : transaction.restart()
    step = begun
    if case .outcome(let outcome) = begun { return outcome }
    return nil
  }

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    guard var step else { preconditionFailure("a tap begins before its card comes") }
    wire.beginTap(with: channel.identity)
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
    let answer = acceptance.host.authorize(request)
    self.answer = answer
    return transaction.finish(answer.hostResponse)
  }

  // Whether the first card failed before its first response: then no payment has begun with it.
  var isFirstCardSilent: Bool { restarts.isEmpty && lost != nil && wire.isUnanswered }

  // Forgets a card that only passed the reader, and begins the payment anew.
  mutating func forgetTap() throws(AcceptanceFailure) {
    random = RecordingRandomSource(acceptance.random)
    transaction = try acceptance.transaction(for: request, random)
    wire = Wire(clock: acceptance.clock)
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
    hold = .milliseconds(outcome.holdMilliseconds)
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
    return PaymentReceipt(
      outcome: outcome, answer: answer, application: transaction.application, failures: transaction.failures,
      record: record)
  }

  private func failure(_ error: LinkError, _ outcome: PaymentOutcome) -> AcceptanceFailure {
    AcceptanceFailure(cause: .link(error), outcome: outcome, failures: transaction.failures, record: record)
  }

  private var record: PaymentRecord {
    PaymentRecord(
      request: request, restartLimit: acceptance.restarts.count, cards: wire.cards, exchanges: wire.exchanges,
      restarts: restarts, random: random.drawn, findings: transaction.findings, memories: transaction.memories)
  }
}

internal import EMVTerminal
internal import Links
internal import Octets

// The taps of one payment.
struct TapSequence: CardVisitor, ~Copyable {
  private let acceptance: PaymentAcceptance
  private let deadline: Instant
  var transaction: TerminalTransaction
  private(set) var wire: Wire
  private(set) var restarts: [Restart] = []
  // How long the last message stays.
  private(set) var hold = Duration.zero
  private var step: TerminalTransaction.Step?
  private var lost: LinkError?

  // The time limit begins with the first wait for a card.
  init(_ acceptance: PaymentAcceptance, _ transaction: consuming TerminalTransaction) {
    self.acceptance = acceptance
    self.transaction = transaction
    wire = Wire(clock: acceptance.clock)
    deadline = acceptance.clock.now + acceptance.restarts.duration
  }

  var remaining: Duration { max(deadline - acceptance.clock.now, .zero) }

  // Start A, then start B with a new number. An outcome when there is one before any card.
  mutating func beginTap() -> PaymentOutcome? {
    lost = nil
    let begun =
      restarts.isEmpty
      ? transaction.start()
      : transaction.restart(
        unpredictableNumber: acceptance.random.octets(TerminalTransaction.unpredictableNumberCount))
    step = begun
    if case .outcome(let outcome) = begun { return outcome }
    return nil
  }

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    guard let first = step else { preconditionFailure("a tap begins before its card comes") }
    wire.beginTap()
    let (last, lost) = acceptance.driven(&transaction, first, over: &channel, &wire)
    step = last
    self.lost = lost
  }

  // The outcome, or nil when another tap follows.
  mutating func endTap() throws(AcceptanceFailure) -> PaymentOutcome? {
    guard case .outcome(let outcome)? = step else { preconditionFailure("a tap ends in an outcome") }
    let limit = limit
    if let lost, limit != nil || ![.cardRemoved, .transmissionFailed, .timedOut].contains(lost.code) {
      throw failure(lost, outcome)
    }
    guard let start = outcome.restart, acceptance.restarts.count > 0 else { return outcome }
    if let limit { return transaction.giveUp(limit) }
    restarts.append(
      Restart(
        start: start, kind: outcome.kind, message: outcome.message, failure: outcome.failure,
        exchangeCount: wire.exchanges.count))
    hold = .milliseconds(outcome.holdMilliseconds)
    return nil
  }

  private var limit: TerminalTransaction.RestartLimit? {
    if restarts.count >= acceptance.restarts.count { return .count(acceptance.restarts.count) }
    return remaining > .zero ? nil : .time(acceptance.restarts.duration)
  }

  // No card came. After a tap that was to be tried again that is the time limit; before any, it is the link's failure.
  mutating func end(without error: LinkError) throws(AcceptanceFailure) -> PaymentOutcome {
    let outcome = transaction.loseCard()
    guard error.code == .timedOut, !restarts.isEmpty else { throw failure(error, outcome) }
    return transaction.giveUp(.time(acceptance.restarts.duration))
  }

  private func failure(_ error: LinkError, _ outcome: PaymentOutcome) -> AcceptanceFailure {
    AcceptanceFailure(
      cause: .link(error), outcome: outcome, failures: transaction.failures, exchanges: wire.exchanges,
      restarts: restarts)
  }
}

public import EMVTerminal
internal import ISO7816
public import Links
public import Octets

/// The shell of a terminal: drives the payment machine over a channel, times the wire, asks the host.
public struct PaymentAcceptance: Sendable {
  /// What the terminal is.
  public let configuration: TerminalConfiguration
  /// How often and how long a payment is tried again.
  public let restarts: RestartLimits
  private let host: any AuthorizationHost
  let clock: any MonotonicClock
  let random: any RandomSource

  /// Creates a terminal.
  ///
  /// - Parameters:
  ///   - host: Who decides on online requests.
  ///   - clock: What exchanges are timed with.
  ///   - random: Where the unpredictable number of each tap comes from.
  ///   - restarts: How often and how long a payment is tried again.
  public init(
    configuration: TerminalConfiguration, host: any AuthorizationHost, clock: any MonotonicClock,
    random: any RandomSource, restarts: RestartLimits = RestartLimits()
  ) {
    self.configuration = configuration
    self.restarts = restarts
    self.host = host
    self.clock = clock
    self.random = random
  }

  /// Takes a payment with one tap of the card at the channel. Blocks. The channel stays open: its owner closes it.
  ///
  /// After `seePhone` and `tryAgain` it is the caller's to take the same request again; `accept(_:at:)` does it.
  ///
  /// - Throws: `AcceptanceFailure` with all that went over the wire until then.
  public func accept<Channel: CardChannel & ~Copyable>(
    _ request: PaymentRequest, over channel: inout Channel
  ) throws(AcceptanceFailure) -> PaymentReceipt {
    var transaction = try begin(request)
    var wire = Wire(clock: clock)
    let (step, lost) = driven(&transaction, transaction.start(), over: &channel, &wire)
    guard case .outcome(let outcome) = step else { preconditionFailure("a tap ends in an outcome") }
    if let lost {
      throw AcceptanceFailure(
        cause: .link(lost), outcome: outcome, failures: transaction.failures, exchanges: wire.exchanges, restarts: [])
    }
    return conclude(outcome, &transaction, wire, [])
  }

  func begin(_ request: PaymentRequest) throws(AcceptanceFailure) -> TerminalTransaction {
    do throws(PaymentRequestError) {
      return try TerminalTransaction(
        request, configuration: configuration,
        unpredictableNumber: random.octets(TerminalTransaction.unpredictableNumberCount))
    } catch {
      throw AcceptanceFailure(cause: .request(error), outcome: nil, failures: [], exchanges: [], restarts: [])
    }
  }

  // One tap, from a step to its outcome; with the link's error where that made it.
  func driven<Channel: CardChannel & ~Copyable>(
    _ transaction: inout TerminalTransaction, _ first: TerminalTransaction.Step, over channel: inout Channel,
    _ wire: inout Wire
  ) -> (TerminalTransaction.Step, lost: LinkError?) {
    var step = first
    while case .transmit(let command, let phase) = step {
      do throws(LinkError) {
        let response = try wire.transmit(command, phase, over: &channel)
        let fresh =
          transaction.needsUnpredictableNumber ? random.octets(TerminalTransaction.unpredictableNumberCount) : []
        step = transaction.receive(response, elapsed: wire.lastElapsed, unpredictableNumber: fresh)
      } catch {
        return (.outcome(transaction.loseCard()), error)
      }
    }
    return (step, nil)
  }

  // Asks the host where that is what the outcome says.
  func conclude(
    _ outcome: PaymentOutcome, _ transaction: inout TerminalTransaction, _ wire: Wire, _ restarts: [Restart]
  ) -> PaymentReceipt {
    guard outcome.kind == .onlineRequest, let authorizationRequest = outcome.authorizationRequest else {
      return receipt(outcome, nil, transaction, wire, restarts)
    }
    let answer = host.authorize(authorizationRequest)
    return receipt(transaction.finish(answer.verdict), answer, transaction, wire, restarts)
  }

  private func receipt(
    _ outcome: PaymentOutcome, _ answer: AuthorizationAnswer?, _ transaction: borrowing TerminalTransaction,
    _ wire: Wire, _ restarts: [Restart]
  ) -> PaymentReceipt {
    PaymentReceipt(
      outcome: outcome, answer: answer, application: transaction.application, failures: transaction.failures,
      exchanges: wire.exchanges, restarts: restarts)
  }
}

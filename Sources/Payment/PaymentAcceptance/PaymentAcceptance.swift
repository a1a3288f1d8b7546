public import EMVTerminal
internal import ISO7816
public import Links
public import Octets

/// The shell of a terminal: drives the payment machine over a channel, times the wire, asks the host.
public struct PaymentAcceptance: Sendable {
  /// What the terminal is.
  public let configuration: TerminalConfiguration
  private let host: any AuthorizationHost
  private let clock: any MonotonicClock
  private let random: any RandomSource

  /// Creates a terminal.
  ///
  /// - Parameters:
  ///   - host: Who decides on online requests.
  ///   - clock: What exchanges are timed with.
  ///   - random: Where the unpredictable number of each tap comes from.
  public init(
    configuration: TerminalConfiguration, host: any AuthorizationHost, clock: any MonotonicClock,
    random: any RandomSource
  ) {
    self.configuration = configuration
    self.host = host
    self.clock = clock
    self.random = random
  }

  /// Takes a payment with one tap of the card at the channel. Blocks. The channel stays open: its owner closes it.
  ///
  /// After `seePhone` and `tryAgain` the same request is taken again with the next tap.
  ///
  /// - Throws: `AcceptanceFailure` with all that went over the wire until then.
  public func accept<Channel: CardChannel & ~Copyable>(
    _ request: PaymentRequest, over channel: inout Channel
  ) throws(AcceptanceFailure) -> PaymentReceipt {
    var transaction = try begin(request)
    var wire = Wire(clock: clock)
    let outcome = try drive(&transaction, over: &channel, &wire)
    guard outcome.kind == .onlineRequest, let authorizationRequest = outcome.authorizationRequest else {
      return receipt(outcome, nil, transaction, wire)
    }
    let answer = host.authorize(authorizationRequest)
    return receipt(transaction.finish(answer.verdict), answer, transaction, wire)
  }

  private func begin(_ request: PaymentRequest) throws(AcceptanceFailure) -> TerminalTransaction {
    do throws(PaymentRequestError) {
      return try TerminalTransaction(
        request, configuration: configuration,
        unpredictableNumber: random.octets(TerminalTransaction.unpredictableNumberCount))
    } catch {
      throw AcceptanceFailure(cause: .request(error), outcome: nil, failures: [], exchanges: [])
    }
  }

  private func drive<Channel: CardChannel & ~Copyable>(
    _ transaction: inout TerminalTransaction, over channel: inout Channel, _ wire: inout Wire
  ) throws(AcceptanceFailure) -> PaymentOutcome {
    var step = transaction.start()
    while true {
      switch step {
      case .outcome(let outcome): return outcome
      case .transmit(let command, let phase):
        do throws(LinkError) {
          step = transaction.receive(try wire.transmit(command, phase, over: &channel))
        } catch {
          let outcome = transaction.loseCard()
          throw AcceptanceFailure(
            cause: .link(error), outcome: outcome, failures: transaction.failures, exchanges: wire.exchanges)
        }
      }
    }
  }

  private func receipt(
    _ outcome: PaymentOutcome, _ answer: AuthorizationAnswer?, _ transaction: borrowing TerminalTransaction,
    _ wire: Wire
  ) -> PaymentReceipt {
    PaymentReceipt(
      outcome: outcome, answer: answer, application: transaction.application, failures: transaction.failures,
      exchanges: wire.exchanges)
  }
}

import EMVTerminal
import Links
import Octets
import PCSCReader
import PaymentAcceptance

/// A tap at a PC/SC reader: waits for a card and takes a payment from it.
struct PCSCTap: Sendable {
  let name: String
  let timeout: Duration
  private let clock = SystemClock()

  init(name: String, timeout: Duration) {
    self.name = name
    self.timeout = timeout
  }

  /// Takes the payment with the first card that answers. Blocks.
  ///
  /// Readers notice a removal late (400 ms with vpcd), so a card that has just left is still reported. One that is
  /// gone before its first answer is that card: nothing was begun with it, and the next one is waited for.
  func run(_ request: PaymentRequest, at terminal: TerminalSide) throws(LinkError) -> TerminalSide.Result {
    let reader = try PCSCService.reader(matching: name)
    let deadline = clock.now + timeout
    while true {
      let channel = try connect(reader, deadline)
      let result = terminal.accept(request, over: channel)
      guard case .failure(let failure) = result.outcome, result.exchanges.allSatisfy({ $0.response == nil }),
        [.cardRemoved, .transmissionFailed].contains(failure.linkError?.code), clock.now < deadline
      else { return result }
    }
  }

  private func connect(_ reader: String, _ deadline: Instant) throws(LinkError) -> PCSCChannel {
    let monitor = try PCSCMonitor(clock: clock)
    while true {
      _ = try monitor.waitForCard(in: reader, timeout: max(deadline - clock.now, .zero), clock: clock)
      do throws(LinkError) {
        return try PCSCChannel(reader: reader)
      } catch {
        guard error.code == .cardRemoved else { throw error }
      }
    }
  }
}

public import ContactlessPayment
import EMVTerminal
import Fixtures
import PaymentAcceptance
import PaymentSimulation

/// A purchase of 12.34 euros at a terminal in this process.
public enum TestPurchase {
  /// Verifies the cardholder and taps once. Returns the last event.
  ///
  /// - Parameter isCancelled: Whether the cardholder cancels before a terminal comes.
  public static func pay(_ wallet: Wallet, isCancelled: Bool = false) async throws -> ContactlessPaymentSession.Event? {
    let session = try await wallet.makePaymentSession()
    await session.startPayment()
    var last: ContactlessPaymentSession.Event?
    for await event in session.events {
      last = event
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted where isCancelled: await session.cancel()
      case .authenticationCompleted:
        let (terminal, request) = try purchase()
        try await session.startEmulation(on: terminal.loopback(for: request, timeout: .seconds(3600)))
      case .posConnected, .posDisconnected, .transactionCompleted, .errorEncountered: break
      }
    }
    await session.finished()
    return last
  }

  private static func purchase() throws -> (PaymentAcceptance, PaymentRequest) {
    let configuration = try TerminalConfiguration(json: [UInt8](Fixtures.data("Terminals/attended-eur.json")))
    let request = try PaymentOrder(amount: "12.34", currency: "EUR").request(at: configuration)
    return (PaymentAcceptance(configuration: configuration, host: NoHost()), request)
  }
}

import EMVTerminal
import Links
import PaymentAcceptance

/// The terminal in this process that `tap present --link loopback` pays at: the shipped one, 12.34 EUR.
enum LoopbackTerminal {
  /// Puts a terminal to a new loopback for one tap; afterwards the card is taken away.
  static func start() throws -> Loopback {
    let configuration = try ShippedTerminal.configuration()
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: configuration)
    let loopback = Loopback()
    _ = DedicatedThread(named: "terminal") {
      defer { loopback.stop() }
      guard var channel = try? loopback.connect(timeout: .seconds(60)) else { return }
      _ = PaymentAcceptance(configuration: configuration, host: NoHost()).result(of: request, over: &channel)
      channel.close()
    }
    return loopback
  }
}

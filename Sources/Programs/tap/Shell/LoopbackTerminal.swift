import EMVTerminal
import Links
import PaymentAcceptance

/// The terminal in this process that `tap present --link loopback` pays at: the shipped one, 12.34 EUR.
struct LoopbackTerminal: Sendable {
  /// Puts a terminal to a new loopback and gives the loopback.
  func start() -> Loopback {
    let loopback = Loopback()
    _ = DedicatedThread(named: "terminal") {
      guard let configuration = try? ShippedTerminal.configuration(),
        let request = try? PaymentOrder(amount: "12.34", currency: "978", moment: PaymentOrder.now())
          .request(at: configuration),
        let channel = try? loopback.connect(timeout: .seconds(60))
      else { return }
      _ = TerminalSide(configuration: configuration, host: NoHost()).accept(request, over: channel)
    }
    return loopback
  }
}

/// The terminal inside the program.
enum ShippedTerminal {
  static let profile = PackageResources.attended_eur_json

  static func configuration() throws -> TerminalConfiguration { try TerminalConfiguration(json: profile) }
}

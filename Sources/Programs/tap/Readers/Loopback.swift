import CardLinks
import EMVTerminal
import PaymentAcceptance
import PaymentSimulation

extension ReaderKind {
  /// A card in this process.
  static let loopback = ReaderKind(
    prefix: "loopback", placeholder: "CARDFILE", hasOwnCard: true,
    open: { file, options in
      let image = try Files.card(file, faults: options.faults != nil)
      let faults = try options.faults.map { format in
        LoopbackPayment.Faults(try Files.faultPlan(file)) { Console.note($0, as: format) }
      }
      return try await LoopbackPlace(
        image: image, payments: options.payments, isVerified: options.isVerified, faults: faults,
        known: try ShippedCards.all())
    })
}

extension LinkKind {
  /// The terminal in this process: the shipped one, which asks for 12.34 EUR.
  static let loopback = LinkKind(
    prefix: "loopback", placeholder: nil, open: { _ in .ready { try LoopbackTerminal.shipped().start() } })
}

extension LoopbackTerminal {
  /// The shipped terminal, which asks for 12.34 EUR.
  static func shipped() throws -> LoopbackTerminal {
    let configuration = try ShippedTerminal.configuration()
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: configuration)
    return LoopbackTerminal(PaymentAcceptance(configuration: configuration, host: NoHost()), request: request)
  }
}

public import EMVTerminal
public import Links
public import PaymentAcceptance

/// A terminal in this process that takes one payment from a card on a loopback.
public struct LoopbackTerminal: Sendable {
  private let terminal: PaymentAcceptance
  private let request: PaymentRequest

  /// Creates a terminal that asks for a payment.
  public init(_ terminal: PaymentAcceptance, request: PaymentRequest) {
    self.terminal = terminal
    self.request = request
  }

  /// Puts the terminal at a new loopback for one tap, on a thread of its own. Afterwards the card is removed.
  ///
  /// - Parameter timeout: How long the terminal waits for the card.
  public func start(timeout: Duration = .seconds(60)) -> Loopback {
    let loopback = Loopback()
    let (terminal, request) = (terminal, request)
    _ = DedicatedThread(named: "terminal") {
      defer { loopback.stop() }
      guard var channel = try? loopback.connect(timeout: timeout) else { return }
      _ = terminal.result(of: request, over: &channel)
      channel.close()
    }
    return loopback
  }
}

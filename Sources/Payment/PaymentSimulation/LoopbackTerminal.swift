public import EMVTerminal
public import Links
public import PaymentAcceptance

/// A terminal in this process that takes one payment from a card on a loopback.
public struct LoopbackTerminal: Sendable {
  private let terminal: PaymentAcceptance
  private let request: PaymentRequest
  private let receive: @Sendable (PaymentResult?) -> Void

  /// Creates a terminal that asks for a payment.
  ///
  /// - Parameter receive: Receives the result on the thread of the terminal; nil when no card came.
  public init(
    _ terminal: PaymentAcceptance, request: PaymentRequest,
    receive: @escaping @Sendable (PaymentResult?) -> Void = { _ in }
  ) {
    self.terminal = terminal
    self.request = request
    self.receive = receive
  }

  /// Puts the terminal at a new loopback for one tap, on a thread of its own. Afterwards the card is removed.
  ///
  /// - Parameter timeout: How long the terminal waits for the card.
  public func start(timeout: Duration = .seconds(60)) -> Loopback {
    let loopback = Loopback()
    let (terminal, request, receive) = (terminal, request, receive)
    _ = DedicatedThread(named: "terminal") {
      defer { loopback.stop() }
      guard var channel = try? loopback.connect(timeout: timeout) else {
        receive(nil)
        return
      }
      let result = terminal.result(of: request, over: &channel)
      channel.close()
      receive(result)
    }
    return loopback
  }
}

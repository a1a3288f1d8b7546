public import EMVTerminal
public import Links
public import PaymentAcceptance

extension PaymentAcceptance {
  /// Puts a terminal at a new loopback for one payment, on a thread of its own. Afterwards the card is removed.
  ///
  /// - Parameters:
  ///   - timeout: How long the terminal waits for the card.
  ///   - receive: Receives the result on the thread of the terminal; nil when no card came.
  public func loopback(
    for request: PaymentRequest, timeout: Duration = .seconds(60),
    receive: @escaping @Sendable (PaymentResult?) -> Void = { _ in }
  ) -> Loopback {
    let loopback = Loopback()
    _ = DedicatedThread(named: "terminal") {
      defer { loopback.stop() }
      guard var channel = try? loopback.connect(timeout: timeout) else {
        receive(nil)
        return
      }
      let result = result(of: request, over: &channel)
      channel.close()
      receive(result)
    }
    return loopback
  }
}

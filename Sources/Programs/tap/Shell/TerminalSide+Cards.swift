import EMVTerminal
import Links
import Octets
import PaymentAcceptance

// Real readers: cards come when they come.
extension TerminalSide {
  /// Takes a payment at a chip that is driven directly, with as many taps as it needs and the limits allow. Blocks.
  ///
  /// - Parameter open: Waits for a card for so long.
  func accept<Channel: CardChannel & ~Copyable>(
    _ request: PaymentRequest, within timeout: Duration,
    from open: @escaping (_ timeout: Duration) throws(LinkError) -> Channel
  ) throws(LinkError) -> Result {
    if restarts.count > 0 {
      return accept(request) { PoweredField(clock: clock, recording: $0, open: open) }
    }
    return try accept(request, until: clock.now + timeout, from: open)
  }

  /// Takes a payment with the first card that answers. Blocks.
  ///
  /// A card that is gone before its first answer was only brushed past the reader: the next one is waited for.
  ///
  /// - Parameter signs: What a link says of a card that is gone.
  func accept<Channel: CardChannel & ~Copyable>(
    _ request: PaymentRequest, until deadline: Instant, goneBy signs: [LinkError.Code] = [.cardRemoved],
    from open: (_ timeout: Duration) throws(LinkError) -> Channel
  ) throws(LinkError) -> Result {
    while true {
      let result = accept(request, over: try open(max(deadline - clock.now, .zero)))
      guard case .failure(let failure) = result.outcome, result.exchanges.allSatisfy({ $0.response == nil }),
        let code = failure.linkError?.code, signs.contains(code), clock.now < deadline
      else { return result }
    }
  }
}

public import EMVTerminal
internal import Links
internal import Octets

extension PaymentAcceptance {
  /// Takes a payment with as many taps as it needs and the limits allow. Blocks.
  ///
  /// A tap that ends in "see phone", or whose card left too early, is followed by another of the same payment, with a
  /// new unpredictable number: start B. When a limit is reached, the outcome is that the application ends; with a limit
  /// of no restart at all it stays what the tap came to.
  ///
  /// - Throws: `AcceptanceFailure` with all that went over the wire until then, for a link that failed in any other way,
  ///   and for a card that left when no restart is left.
  public func accept<Field: CardField & ~Copyable>(
    _ request: PaymentRequest, at field: inout Field
  ) throws(AcceptanceFailure) -> PaymentReceipt {
    var taps = TapSequence(self, try begin(request))
    let outcome = try drive(&taps, at: &field)
    return conclude(outcome, &taps.transaction, taps.wire, taps.restarts)
  }

  // To an outcome that is not followed by another tap.
  private func drive<Field: CardField & ~Copyable>(
    _ taps: inout TapSequence, at field: inout Field
  ) throws(AcceptanceFailure) -> PaymentOutcome {
    while true {
      // No combination takes the amount: no card is needed to say so.
      if let outcome = taps.beginTap() { return outcome }
      do throws(LinkError) {
        try field.nextCard(after: taps.hold, timeout: taps.remaining, &taps)
      } catch { return try taps.end(without: error) }
      if let outcome = try taps.endTap() { return outcome }
    }
  }
}

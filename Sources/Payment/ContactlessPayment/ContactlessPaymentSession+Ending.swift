internal import EMVCard
internal import Links
internal import Octets

extension ContactlessPaymentSession {
  /// Ends the session, if it has not ended, and takes the card off its link.
  ///
  /// - Parameter lingers: Whether an answer is still on its way to the terminal.
  func fail(_ error: Error, lingers: Bool = false) {
    verification?.cancel()
    let hasEnded = end(.errorEncountered(error))
    // A card that is still on its link for a moment must not take up what a failed payment left.
    _ = exchange.take()
    // Nothing was presented: what was reserved for it comes back.
    if thread == nil { settle(nil) }
    if !lingers {
      link?.stop()
    } else if hasEnded {
      linger()
    }
  }

  /// Tells the one terminal event. Whether this was it.
  func end(_ event: Event) -> Bool {
    guard machine.end() else { return false }
    continuation.yield(event)
    continuation.finish()
    exchange.releaseForGood()
    claim = nil
    return true
  }

  /// The answer is still on its way to the terminal, which may read on for a moment.
  func linger() {
    after(limits.linger) { $0.link?.stop() }
  }

  /// Ends the present reservation, if there is one.
  func settle(_ record: TransactionRecord?) {
    guard let id = reservation?.id else { return }
    let spent = touches(record) ? record.map { Set([$0.application]) } : nil
    reservation = nil
    // A store that fails here keeps the reservation, which then counts as spent: the safe side.
    try? store.settle(id, spent: spent ?? [])
  }

  /// Whether a record is of the present reservation. A card tells of a use again until it takes another.
  func touches(_ record: TransactionRecord?) -> Bool {
    guard let record, let counters = reservation?.counters else { return false }
    return counters[record.application] == record.transactionCounter
  }

  /// Does something later, unless the session is gone or its link has ended by then.
  func after(_ duration: Duration, _ action: @escaping @Sendable (isolated ContactlessPaymentSession) -> Void) {
    let due = clock.now + duration
    timers.append(
      Task { [clock, weak self] in
        guard (try? await clock.sleep(until: due)) != nil else { return }
        await self?.run(action)
      })
  }

  private func run(_ action: @Sendable (isolated ContactlessPaymentSession) -> Void) { action(self) }
}

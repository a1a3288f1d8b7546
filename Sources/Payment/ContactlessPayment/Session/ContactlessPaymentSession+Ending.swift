internal import Links
internal import Octets

extension ContactlessPaymentSession {
  /// Ends the session, if it has not ended, and takes the card off its link.
  ///
  /// - Parameters:
  ///   - error: The error that the last event reports.
  ///   - lingers: Whether the card stays on its link for `SessionLimits.linger`, because a response is still on its way
  ///     to the terminal.
  func fail(_ error: Error, lingers: Bool = false) {
    if let ending = machine.end() {
      ending.verification?.cancel()
      settle(ending.settlement)
      finish(.errorEncountered(error))
      if lingers { linger() }
    }
    if !lingers { machine.presentation?.link.stop() }
  }

  /// Sends the last event. The machine has ended before.
  func finish(_ event: Event) {
    // A card that stays on its link must not receive an arming that was left.
    _ = exchange.take()
    exchange.releaseForGood()
    continuation.yield(event)
    continuation.finish()
  }

  /// Takes the card off its link when the terminal has had time to read the last response.
  func linger() {
    after(limits.linger) { $0.machine.presentation?.link.stop() }
  }

  /// Ends a reservation in the store.
  func settle(_ settlement: Settlement?) {
    guard let settlement else { return }
    // A store that fails here keeps the reservation, and a reservation that is left counts as spent.
    try? store.settle(settlement.id, spent: settlement.spent)
  }

  /// Runs an action later, unless the session is released or its link has ended by then.
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

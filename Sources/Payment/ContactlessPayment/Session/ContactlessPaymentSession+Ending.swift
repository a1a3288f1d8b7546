internal import EMVCard
internal import Links
internal import Octets

extension ContactlessPaymentSession {
  typealias Ending = SessionMachine.Ending

  /// Ends the session, if it has not ended, and takes the card off its link.
  ///
  /// - Parameters:
  ///   - error: The error that the last event reports.
  ///   - lingers: Whether the card stays on its link for `SessionLimits.linger`, because a response is still on its way
  ///     to the terminal.
  func fail(_ error: Error, lingers: Bool = false) {
    // Most terminals bring no response of the issuer.
    if let presented, error.code != .authenticationKeyInvalidated { complete(presented) }
    if let ending = machine.end() {
      close(ending, with: error)
      if lingers { linger() }
    }
    if !lingers { machine.presentation?.link.stop() }
  }

  /// Takes the keys from the card and sends the last event. The machine has ended before.
  func close(_ ending: Ending, with error: Error) {
    rights = nil
    ending.verification?.cancel()
    settle(ending.settlement)
    pendingError = atLimit(error)
    let mayHaveSpent = exchange.revoke()
    exchange.releaseForGood()
    // Otherwise the last event waits for the cryptogram, whose use it names.
    if !mayHaveSpent { sendPendingError(nil) }
  }

  /// The error of a session that ends now. From its time limit on this is `maxSessionDurationReached`, also when another
  /// task runs before that of the timer; a wipe is reported at any time.
  private func atLimit(_ error: Error) -> Error {
    guard let emulationEnd, clock.now >= emulationEnd, error.code != .authenticationKeyInvalidated else { return error }
    return .maxSessionDurationReached
  }

  /// Sends the last event of a session that has failed, when the card computes no more.
  ///
  /// - Parameter record: The latest cryptogram of the card.
  func sendPendingError(_ record: TransactionRecord?) {
    guard let error = pendingError.take() else { return }
    if let record, let order = machine.unsettledUse(spentBy: record) { note(record, of: order) }
    finish(.errorEncountered(error, spent: spent))
  }

  /// Sends the last event.
  func finish(_ event: Event) {
    rights = nil
    // A card that stays on its link must not receive an arming that was left.
    exchange.dropArming()
    exchange.releaseForGood()
    continuation.yield(event)
    continuation.finish()
  }

  /// Takes the card off its link when the terminal has had time to read the last response.
  func linger() {
    after(limits.linger) { $0.machine.presentation?.link.stop() }
  }

  /// Settles the uses of an interrupted payment.
  func settle(_ settlement: Settlement?, for record: TransactionRecord?) {
    settle(settlement)
    guard let record, let order = machine.order, settlement?.spent.isEmpty == false else { return }
    note(record, of: order)
    exchange.cryptogramSettled()
  }

  private func note(_ record: TransactionRecord, of order: StartedPayment) {
    spent.append(TransactionContext(record, of: order.card.image, digitalCardID: order.card.id))
  }

  /// Ends a reservation in the store, without waiting for the store.
  func settle(_ settlement: Settlement?) {
    if let settlement { wallet.settle(settlement) }
  }

  /// Runs an action later, unless the session is released or its link has ended by then.
  func after(_ duration: Duration, _ action: @escaping @Sendable (isolated ContactlessPaymentSession) -> Void) {
    timers.append(call(at: clock.now + duration, action))
  }

  /// Runs an action at an instant, unless the session is released by then. Not isolated, since a task that takes over the
  /// isolation of the session would keep it.
  nonisolated func call(
    at due: Instant, _ action: @escaping @Sendable (isolated ContactlessPaymentSession) -> Void
  ) -> ScheduledCall {
    clock.call(at: due) { [weak self, executor = wallet.taskExecutor] in
      Task(executorPreference: executor) { await self?.run(action) }
    }
  }

  private func run(_ action: @Sendable (isolated ContactlessPaymentSession) -> Void) { action(self) }
}

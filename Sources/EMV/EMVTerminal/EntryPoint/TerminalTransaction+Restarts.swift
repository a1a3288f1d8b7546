// The limits of restarts.
extension TerminalTransaction {
  /// Why a payment is not tried again although its outcome said so.
  public enum RestartLimit: Hashable, Sendable {
    /// The number of restarts, 0 or more, is reached.
    case count(Int)
    /// The time for restarts is over.
    case time(Duration)
  }

  /// Ends a payment whose outcome had a restart. Traps for any other payment.
  ///
  /// - Returns: The application ends; after start D, where only the card lacks the host's response, the host's verdict.
  public mutating func giveUp(_ limit: RestartLimit) -> PaymentOutcome {
    let failure = StepFailure(.restart, .restartLimit(limit))
    switch state {
    case .awaitingRestart:
      state = .ended
      return note(.endApplication(failure))
    case .awaitingUpdate(let activation, let answer):
      state = .ended
      guard let request = activation.onlineRequest?.authorizationRequest else { return note(.endApplication(failure)) }
      failures.append(failure)
      var outcome = answer.outcome(of: request)
      outcome.dataAuthentication = activation.authentication
      return note(outcome)
    default: preconditionFailure("only a payment with a restart is given up; its state is \(state.name)")
    }
  }
}

extension StepFailure.Code {
  /// The payment was tried again as often, or as long, as the till allows.
  public static func restartLimit(_ limit: TerminalTransaction.RestartLimit) -> Self {
    switch limit {
    case .count(let count): Self("restartLimit", "the payment was tried again \(count) times: that is the limit")
    case .time(let time): Self("restartLimit", "the payment was tried again for \(time): that is the limit")
    }
  }
}

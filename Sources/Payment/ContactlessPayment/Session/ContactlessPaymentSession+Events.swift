extension ContactlessPaymentSession {
  /// The events of a session, in the order in which they occur: `authenticationRequired`, `authenticationCompleted`,
  /// then `posConnected` and `posDisconnected` in turn, and exactly one of the last two, after which the stream ends.
  public enum Event: Sendable {
    /// The cardholder must verify: call `proceed()` or `cancel()`.
    case authenticationRequired(AuthenticationAction)
    /// The cardholder is verified and the card is armed: `startEmulation` is allowed. Occurs once.
    case authenticationCompleted
    /// A terminal has sent its first command.
    case posConnected
    /// The terminal left before the payment was complete. `interruptions` counts how often; the cardholder must tap
    /// again.
    case posDisconnected(interruptions: Int)
    /// The payment is complete.
    case transactionCompleted(TransactionContext)
    /// The session has failed. `spent` are the uses that cryptograms of the session have spent nevertheless, in their
    /// order; empty when the card gave none.
    case errorEncountered(Error, spent: [TransactionContext] = [])
  }

  /// What the app does when the cardholder must verify. It does not keep the session: the app does.
  public struct AuthenticationAction: Sendable {
    // An event that is never read would otherwise keep the session, and the session its events.
    weak let session: ContactlessPaymentSession?

    /// Asks the cardholder to verify; returns when the session has sent the event with the result. Cancelling the task
    /// that waits closes the prompt and ends the session with `cancelled`.
    public func proceed() async { await session?.authenticate() }

    /// Ends the session with `cancelled`.
    public func cancel() async { await session?.cancel() }
  }
}

/// Why `startEmulation` was refused. The session goes on as before.
public enum EmulationRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The cardholder is not verified yet: wait for `authenticationCompleted`.
  case notAuthenticated
  /// The card is on a link already.
  case alreadyEmulating
  /// The session has ended.
  case sessionEnded

  /// A sentence.
  public var description: String {
    switch self {
    case .notAuthenticated: "emulation starts after authenticationCompleted"
    case .alreadyEmulating: "the card is on a link already"
    case .sessionEnded: "the session has ended: start another"
    }
  }
}

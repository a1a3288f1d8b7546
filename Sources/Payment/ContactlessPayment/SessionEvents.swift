extension ContactlessPaymentSession {
  /// What a session tells, in this order: `authenticationRequired`, `authenticationCompleted`, then `posConnected`
  /// and `posDisconnected` in turn, and exactly one of the last two, after which the stream ends.
  public enum Event: Sendable {
    /// The holder must verify: call `proceed()` or `cancel()`.
    case authenticationRequired(AuthenticationAction)
    /// The holder is verified and the card armed: `startEmulation` is allowed.
    case authenticationCompleted
    /// A terminal talks to the card.
    case posConnected
    /// The terminal left while the payment was still going on, for the so-manieth time: tap again.
    case posDisconnected(interruptions: Int)
    /// The payment is completed.
    case transactionCompleted(TransactionContext)
    /// The session has failed.
    case errorEncountered(Error)
  }

  /// What the app does when the holder must verify.
  public struct AuthenticationAction: Sendable {
    let session: ContactlessPaymentSession

    /// Lets the device ask the holder; returns when the session has told the result.
    public func proceed() async { await session.authenticate() }

    /// Ends the session with `cancelled`.
    public func cancel() async { await session.cancel() }
  }
}

/// Why `startEmulation` was refused. The session goes on as before.
public enum EmulationRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The holder is not verified yet: wait for `authenticationCompleted`.
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
    case .sessionEnded: "the session has ended: begin another"
    }
  }
}

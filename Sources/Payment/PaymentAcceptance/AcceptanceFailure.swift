public import EMVTerminal
public import Links

/// A payment that came to no outcome because the request or the link failed. A card that misbehaves ends in an outcome.
public struct AcceptanceFailure: Error, Sendable, CustomStringConvertible {
  /// What failed.
  public enum Cause: Equatable, Sendable {
    /// The terminal cannot serve the request; no command was sent.
    case request(PaymentRequestError)
    /// The link failed, or the card left, before the card had answered every command.
    case link(LinkError)
  }

  /// What failed.
  public let cause: Cause
  /// The outcome that the cardholder is shown: try again, for a link that failed; nil for a request that is refused.
  public let outcome: PaymentOutcome?
  /// The steps that failed, in order.
  public let failures: [StepFailure]
  /// What went over the wire, the exchange that failed included.
  public let record: PaymentRecord

  /// All exchanges, in order.
  public var exchanges: [Exchange] { record.exchanges }
  /// The taps after which the payment was tried again, in order.
  public var restarts: [Restart] { record.restarts }

  /// The link's error, or nil.
  public var linkError: LinkError? {
    if case .link(let error) = cause { error } else { nil }
  }

  /// A sentence. Never card data.
  public var description: String {
    switch cause {
    case .request(let error): "the payment cannot be taken: \(error)"
    case .link(let error) where exchanges.isEmpty: "the link failed before the first command: \(error)"
    case .link(let error): "the link failed in exchange \(exchanges.count): \(error)"
    }
  }
}

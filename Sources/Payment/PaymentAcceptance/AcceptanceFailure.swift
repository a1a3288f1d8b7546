public import EMVTerminal
public import Links

/// Why a payment came to no outcome of its own: our fault or the link's. A card that misbehaves ends in an outcome.
public struct AcceptanceFailure: Error, Sendable, CustomStringConvertible {
  /// Whose fault it was.
  public enum Cause: Equatable, Sendable {
    /// The terminal cannot take such a payment; no command was sent.
    case request(PaymentRequestError)
    /// The link failed, or the card left, before the card had given all its answers.
    case link(LinkError)
  }

  /// Whose fault it was.
  public let cause: Cause
  /// What the cardholder is told meanwhile: try again, for a link that failed.
  public let outcome: PaymentOutcome?
  /// The steps that failed on the way, in order.
  public let failures: [StepFailure]
  /// What went over the wire, the exchange that failed included.
  public let exchanges: [Exchange]
  /// The taps after which the payment was tried again, in order.
  public let restarts: [Restart]

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

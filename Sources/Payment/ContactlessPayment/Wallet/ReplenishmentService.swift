/// Why an issuer provided no keys.
public enum ReplenishmentServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The issuer was not reached, or the response did not arrive. A later request can succeed.
  case network(String)
  /// The issuer's server failed, or its response is invalid.
  case server(String)
  /// The issuer refused: for a card that it stopped or does not know.
  case declined(String)

  /// A sentence.
  public var description: String {
    switch self {
    case .network(let reason): "the issuer was not reached: \(reason)"
    case .server(let reason): "the issuer's server failed: \(reason)"
    case .declined(let reason): "the issuer refused to provide keys: \(reason)"
    }
  }
}

/// The port to the issuers of a wallet's cards, which provide payment keys.
public protocol ReplenishmentService: Sendable {
  /// Requests keys.
  ///
  /// The response is lost when the wallet's process ends before it is stored; the counters of those keys are then never
  /// used.
  ///
  /// - Parameters:
  ///   - card: The card; the counters of the new keys start at its `freeCounters` or above, and their kind is one of
  ///     its `keyKinds`, unless the issuer decides otherwise.
  ///   - isForced: Whether the card still has more payments than its threshold.
  /// - Returns: One batch per application of the card's image, in its order.
  func paymentKeys(
    for card: DigitalCard, isForced: Bool
  ) async throws(ReplenishmentServiceError) -> [PaymentKeys]
}

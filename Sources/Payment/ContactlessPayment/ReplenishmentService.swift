/// Why an issuer gave no keys.
public enum ReplenishmentServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The issuer was not reached, or the answer did not arrive. Trying again later may help.
  case network(String)
  /// The issuer's server failed, or answered what cannot be understood.
  case server(String)
  /// The issuer says no: for a card that it stopped or does not know.
  case declined(String)

  /// A sentence.
  public var description: String {
    switch self {
    case .network(let reason): "the issuer was not reached: \(reason)"
    case .server(let reason): "the issuer's server failed: \(reason)"
    case .declined(let reason): "the issuer gives no keys: \(reason)"
    }
  }
}

/// The port to the issuers of a wallet's cards, where payment keys come from.
public protocol ReplenishmentService: Sendable {
  /// Asks for keys.
  ///
  /// The answer is lost when the wallet's process ends before it has stored it: the issuer must then take it that the
  /// counters it gave will not come.
  ///
  /// - Parameters:
  ///   - card: The card as the wallet has it; its `freeCounters` say where the new keys may begin.
  ///   - isForced: Whether the card still has more payments than its threshold.
  /// - Returns: A batch per application of the card's image, in its order.
  func paymentKeys(
    for card: DigitalCard, isForced: Bool
  ) async throws(ReplenishmentServiceError) -> [PaymentKeys]
}

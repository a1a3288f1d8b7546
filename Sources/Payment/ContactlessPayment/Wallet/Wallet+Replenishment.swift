public import Octets

/// Why a card was not replenished. Its keys are unchanged.
public enum ReplenishmentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The wallet has no replenishment service.
  case noService
  /// A request for keys for this card is in progress.
  case inProgress(String)
  /// The issuer provided no keys.
  case service(ReplenishmentServiceError)
  /// The wallet refused: the card is unknown or retired, or the keys do not match it.
  case wallet(WalletError)

  /// A sentence.
  public var description: String {
    switch self {
    case .noService: "the wallet has no replenishment service: it cannot request keys"
    case .inProgress(let id): "a request for keys for the card \"\(id)\" is in progress: wait for it"
    case .service(let error): "\(error)"
    case .wallet(let error): "\(error)"
    }
  }
}

/// The result of a replenishment.
public enum ReplenishmentOutcome: Hashable, Sendable {
  /// More payments are left than the card's threshold: no keys were requested.
  case notNeeded(paymentsLeft: Int)
  /// New keys are stored durably.
  case replenished(paymentsLeft: Int)
}

extension Wallet {
  /// Requests keys from the issuer of a card and stores them in one durable transaction.
  ///
  /// - Parameters:
  ///   - id: The card.
  ///   - isForced: Requests keys although more payments are left than the card's threshold.
  public func replenish(
    digitalCardID id: String, isForced: Bool = false
  ) async throws(ReplenishmentError) -> ReplenishmentOutcome {
    guard let replenishment else { throw .noService }
    let card = try replenishable(id)
    guard isForced || card.needsReplenishment else { return .notNeeded(paymentsLeft: card.paymentsLeft) }
    guard replenishing.insert(card.id).inserted else { throw .inProgress(card.id) }
    defer { replenishing.remove(card.id) }
    let keys: [PaymentKeys]
    do throws(ReplenishmentServiceError) {
      keys = try await replenishment.paymentKeys(for: card, isForced: !card.needsReplenishment)
    } catch { throw .service(error) }
    // The card may have been removed during the request, and another may have its name.
    guard try replenishable(id).image === card.image else { throw .wallet(.store(.unknownCard(id))) }
    do throws(WalletError) {
      try stored { (store) throws(WalletStoreError) in try store.addKeys(keys, to: id) }
    } catch { throw .wallet(error) }
    return .replenished(paymentsLeft: try replenishable(id).paymentsLeft)
  }

  private func replenishable(_ id: String) throws(ReplenishmentError) -> DigitalCard {
    do throws(WalletError) {
      guard let card = try cards().first(where: { $0.id == id }) else { throw .store(.unknownCard(id)) }
      guard card.state != .retired else { throw .store(.cardNotActive(.retired)) }
      return card
    } catch { throw .wallet(error) }
  }

  /// Replaces the latest date that the wallet has seen when it is later than that of an issuer: a clock that was set forward has
  /// ended keys that are valid.
  public func correctDate(to date: WallTime) throws(WalletError) {
    try configuredStore { (store) throws(WalletStoreError) in try store.correctDate(to: date) }
  }
}

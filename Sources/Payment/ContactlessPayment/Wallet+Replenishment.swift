/// Why a card was not replenished. Its keys are as they were.
public enum ReplenishmentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The wallet has no way to an issuer.
  case noService
  /// The issuer is being asked for keys for this card already.
  case inProgress(String)
  /// The issuer gave none.
  case service(ReplenishmentServiceError)
  /// The wallet refused: no such card, one that was stopped for good, or keys that do not fit it.
  case wallet(WalletError)

  /// A sentence.
  public var description: String {
    switch self {
    case .noService: "the wallet was made without a replenishment service: it cannot get keys"
    case .inProgress(let id): "keys for the card \"\(id)\" are being asked for already: wait for them"
    case .service(let error): "\(error)"
    case .wallet(let error): "\(error)"
    }
  }
}

/// What came of a replenishment.
public enum ReplenishmentOutcome: Hashable, Sendable {
  /// More payments are left than the card's threshold: nobody was asked.
  case notNeeded(paymentsLeft: Int)
  /// New keys are stored durably.
  case replenished(paymentsLeft: Int)
}

extension Wallet {
  /// Asks the issuer of a card for keys and stores what comes, all of it in one durable transaction.
  ///
  /// - Parameters:
  ///   - id: The card.
  ///   - isForced: Asks although more payments are left than the card's threshold.
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
    // Meanwhile the card may have gone and another have taken its name.
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
}

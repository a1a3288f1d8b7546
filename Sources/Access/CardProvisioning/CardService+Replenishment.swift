internal import AccessMessages
public import ContactlessPayment
internal import Documents

extension CardService: ReplenishmentService {
  /// Asks the issuer for further keys of a card.
  ///
  /// The identifier of the delivery stays pending until `finishReplenishment`, so that a request whose answer was lost is
  /// repeated and delivers the same keys.
  public func paymentKeys(
    for card: DigitalCard, isForced: Bool
  ) async throws(ReplenishmentServiceError) -> [PaymentKeys] {
    do throws(ProvisioningError) {
      let keys = try await keys(for: card)
      guard zip(keys, card.freeCounters).contains(where: { $0.firstCounter < $1 }) else {
        return keys.map(\.paymentKeys)
      }
      // The wallet has stored these keys, and ended before it removed the identifier.
      try await deliveries.finish(.keys(card: card.id))
      return try await self.keys(for: card).map(\.paymentKeys)
    } catch {
      switch error {
      case .unreached(let reason): throw .network(reason)
      case .refused, .deviceInactive, .deviceUnlinked: throw .declined("\(error)")
      case .malformed, .envelope, .wallet, .storage: throw .server("\(error)")
      }
    }
  }

  /// Removes the identifier of a delivery whose keys the wallet has stored.
  public func finishReplenishment(ofCard id: String) async throws(ProvisioningError) {
    try await deliveries.finish(.keys(card: id))
  }

  private func keys(for card: DigitalCard) async throws(ProvisioningError) -> [CardEnvelope.Keys] {
    let id = try await deliveries.identifier(for: .keys(card: card.id))
    let request = KeyRequest(delivery: id, freeCounters: card.freeCounters)
    let delivery = try await send(.post, CardPath.keys(card.id), request.json, CardDelivery.init)
    guard delivery.card.id == card.id else { throw .envelope("it is for another card") }
    return try await content(of: delivery, id).keys
  }
}

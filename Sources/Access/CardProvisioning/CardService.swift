public import AccessMessages
public import ContactlessPayment
internal import EMVCard
internal import FIDOUAF
internal import JSON

/// The cards of a wallet at their issuer.
public struct CardService: Sendable {
  let connection: any ProvisioningConnection
  let deliveries: any PendingDeliveries

  /// Creates a service.
  public init(_ connection: any ProvisioningConnection, deliveries: any PendingDeliveries) {
    (self.connection, self.deliveries) = (connection, deliveries)
  }

  /// Asks the issuer for the device's cards.
  public func cards() async throws(ProvisioningError) -> CardList {
    try await send(.get, CardPath.cards, nil, CardList.init)
  }

  /// Asks the issuer for the newest payments of a card, newest first.
  public func payments(ofCard id: String) async throws(ProvisioningError) -> CardPayments {
    try await send(.get, CardPath.payments(id), nil, CardPayments.init)
  }

  /// Asks the issuer for a card with its first keys, and its signing key if it makes signatures, and stores them in a wallet.
  /// After a lost answer the next call with the same profile gets the same card.
  ///
  /// - Parameter profile: The name of the profile; nil for the issuer's first one.
  /// - Returns: The card. Its identifier is its name in the wallet.
  public func addCard(profile: String?, to wallet: Wallet) async throws(ProvisioningError) -> CardEntry {
    let purpose = DeliveryPurpose.card(profile: profile)
    let id = try await deliveries.identifier(for: purpose)
    let request = CardAddition(profile: profile, delivery: id)
    let delivery = try await send(.post, CardPath.cards, request.json, CardDelivery.init)
    let content = try await content(of: delivery, id)
    guard let profile = content.profile else { throw .envelope("it has no card profile") }
    let image: CardImage
    do throws(CardProfileError) {
      image = try CardImage(json: Array(profile.utf8))
    } catch { throw .envelope("its card profile is not valid") }
    let signingKey = try content.cardSigningKey()
    do throws(WalletError) {
      // A crash after the card was stored repeats the request.
      if try await !cards(in: wallet).contains(where: { $0.id == content.card }) {
        try await wallet.add(
          content.card, image, keys: content.paymentKeys, threshold: content.threshold, issuer: connection.issuer,
          signingKey: signingKey)
      }
    } catch { throw .wallet("\(error)") }
    try await deliveries.finish(purpose)
    return delivery.card
  }

  /// The cards of the issuer in a wallet; empty for a wallet that is not initialized.
  public func cards(in wallet: Wallet) async throws(WalletError) -> [DigitalCard] {
    guard await wallet.isInitialized else { return [] }
    return try await wallet.cards().filter { $0.issuer == connection.issuer }
  }

  /// Makes the cards of the issuer follow it: suspends, resumes and removes them as the issuer did, lifts the blocks of their
  /// applications that the issuer lifts, and removes keys that the issuer no longer accepts. Cards of a deactivated device are suspended, those of an unlinked one are removed. A card that the issuer does not list, and cards of other
  /// issuers, stay as they are.
  ///
  /// - Returns: The issuer's list.
  /// - Throws: `ProvisioningError`: `.deviceInactive` and `.deviceUnlinked` after the wallet has followed.
  @discardableResult
  public func follow(_ wallet: Wallet) async throws(ProvisioningError) -> CardList {
    let list: CardList
    do throws(ProvisioningError) {
      list = try await cards()
    } catch {
      switch error {
      case .deviceInactive: try await suspendAll(in: wallet)
      case .deviceUnlinked: try await apply(to: wallet) { _ in .deleted }
      default: break
      }
      throw error
    }
    let states = Dictionary(list.cards.map { ($0.id, $0.state) }) { first, _ in first }
    try await apply(to: wallet) { states[$0] }
    try await unblock(Set(list.cards.filter(\.isUnblocked).map(\.id)), in: wallet)
    try await removeEndedKeys(list, in: wallet)
    return list
  }

  /// Suspends the issuer's cards on a deactivated device. `follow` resumes them when the issuer has activated it again.
  public func suspendAll(in wallet: Wallet) async throws(ProvisioningError) {
    try await apply(to: wallet) { _ in .suspended }
  }

  private func unblock(_ ids: Set<String>, in wallet: Wallet) async throws(ProvisioningError) {
    guard !ids.isEmpty else { return }
    do throws(WalletError) {
      for card in try await cards(in: wallet)
      where ids.contains(card.id) && card.cardState.applications.contains(where: \.isBlocked) {
        try await wallet.unblockApplications(of: card.id)
      }
    } catch { throw .wallet("\(error)") }
  }

  private func removeEndedKeys(_ list: CardList, in wallet: Wallet) async throws(ProvisioningError) {
    do throws(WalletError) {
      for card in try await cards(in: wallet) {
        guard let counters = list.cards.first(where: { $0.id == card.id })?.acceptedFrom else { continue }
        try await wallet.removeKeys(of: card.id, below: counters)
      }
    } catch { throw .wallet("\(error)") }
  }

  private func apply(
    to wallet: Wallet, _ state: (String) -> CardEntry.State?
  ) async throws(ProvisioningError) {
    do throws(WalletError) {
      for card in try await cards(in: wallet) {
        switch (state(card.id), card.state) {
        case (.deleted?, _): try await wallet.delete(card.id)
        case (.suspended?, .active): try await wallet.suspend(card.id)
        case (.active?, .suspended): try await wallet.resume(card.id)
        default: break
        }
      }
    } catch { throw .wallet("\(error)") }
  }
}

extension CardService {
  func content(of delivery: CardDelivery, _ id: String) async throws(ProvisioningError) -> CardEnvelope {
    var octets = try await connection.open(delivery.envelope)
    return try CardEnvelope(content: &octets, card: delivery.card.id, delivery: id)
  }

  func send<Body: Sendable>(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?,
    _ read: (JSONValue) throws(UAFMessageError) -> Body
  ) async throws(ProvisioningError) -> Body {
    let json = try await connection.send(method, path, body)
    do throws(UAFMessageError) {
      return try read(json)
    } catch { throw .malformed("\(error)") }
  }
}

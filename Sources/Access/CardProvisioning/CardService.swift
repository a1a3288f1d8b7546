public import AccessMessages
public import ContactlessPayment
internal import Documents
internal import EMVCard
internal import JSON
internal import Octets

/// The cards of a wallet at their issuer.
public struct CardService: Sendable {
  let connection: any ProvisioningConnection
  let deliveries: any PendingDeliveries
  private let warn: @Sendable (WithdrawalWarning) -> Void

  /// Creates a service.
  ///
  /// - Parameter warn: Receives what a wallet that follows its issuer could not do beside a change that took a right away.
  public init(
    _ connection: any ProvisioningConnection, deliveries: any PendingDeliveries,
    warn: @escaping @Sendable (WithdrawalWarning) -> Void = { _ in }
  ) {
    (self.connection, self.deliveries, self.warn) = (connection, deliveries, warn)
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
  /// - Throws: `ProvisioningError`: `.deviceUnlinked` also when another process has unlinked the device meanwhile. The card is
  ///   not kept then. `.deviceInactive` when the issuer has deactivated it meanwhile: the card is kept, suspended.
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
    try await removeCardsIfUnlinked(from: wallet)
    try await deliveries.finish(purpose)
    return try await confirmed(in: wallet)?.cards.first { $0.id == content.card } ?? delivery.card
  }

  /// Asks the issuer once more after an answer gave a right: another process may have followed a later answer meanwhile, which
  /// took it away. When the issuer is not reached, the next contact does it.
  ///
  /// - Throws: `ProvisioningError`: `.deviceInactive` and `.deviceUnlinked` after the wallet has followed, and `.wallet`.
  private func confirmed(in wallet: Wallet) async throws(ProvisioningError) -> CardList? {
    do throws(ProvisioningError) {
      return try await followOnce(wallet).list
    } catch {
      switch error {
      case .deviceInactive, .deviceUnlinked, .wallet: throw error
      default: return nil
      }
    }
  }

  /// Removes the cards of the issuer when another process has unlinked the device since the request. That process ends the link
  /// before it removes the cards, and this one stores a card before it reads the link: one of them removes the card.
  private func removeCardsIfUnlinked(from wallet: Wallet) async throws(ProvisioningError) {
    guard try await !connection.isLinked() else { return }
    try await apply(.deleted, to: wallet)
    throw .deviceUnlinked
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
    let (list, givesRights) = try await followOnce(wallet)
    return givesRights ? try await confirmed(in: wallet) ?? list : list
  }

  /// Follows one answer.
  ///
  /// - Returns: The list, and whether it gave a right back that the wallet had not.
  private func followOnce(_ wallet: Wallet) async throws(ProvisioningError) -> (list: CardList, givesRights: Bool) {
    let (list, date): (CardList, WallTime?)
    do throws(ProvisioningError) {
      let answer = try await connection.answer(.get, CardPath.cards, nil)
      (list, date) = (try Self.read(answer.body, CardList.init), answer.date)
    } catch {
      switch error {
      case .deviceInactive: try await suspendAll(in: wallet)
      case .deviceUnlinked: try await apply(.deleted, to: wallet)
      default: break
      }
      throw error
    }
    try await correctDate(of: wallet, to: date)
    return (list, try await follow(list, in: wallet))
  }

  /// Suspends the issuer's cards on a deactivated device. `follow` resumes them when the issuer has activated it again.
  public func suspendAll(in wallet: Wallet) async throws(ProvisioningError) {
    try await apply(.suspended, to: wallet)
  }

  /// Lets the issuer's date end one that is later, after the device's date was set forward.
  private func correctDate(of wallet: Wallet, to date: WallTime?) async throws(ProvisioningError) {
    guard let date, await wallet.isInitialized else { return }
    do throws(WalletError) { try await wallet.correctDate(to: date) } catch { throw .wallet("\(error)") }
  }

  /// Makes the cards of the issuer follow its list.
  ///
  /// - Returns: Whether it gave a right back.
  private func follow(_ list: CardList, in wallet: Wallet) async throws(ProvisioningError) -> Bool {
    let entries = Dictionary(list.cards.map { ($0.id, $0) }) { first, _ in first }
    let followed = try await follow(in: wallet) { card in
      guard let entry = entries[card.id] else { return [] }
      let state = Self.instructions(for: card, to: entry.state)
      guard entry.state != .deleted else { return state }
      let isUnblocked = entry.isUnblocked && card.cardState.applications.contains(where: \.isBlocked)
      // A blocked card cannot be resumed.
      return (isUnblocked ? [.unblockApplications(of: card.id)] : []) + state
        + (entry.acceptedFrom.map { [.removeKeys(of: card.id, below: $0)] } ?? [])
    }
    return followed.contains { instruction in
      switch instruction {
      case .apply(.resume, _), .unblockApplications: true
      default: false
      }
    }
  }

  private func apply(_ state: CardEntry.State, to wallet: Wallet) async throws(ProvisioningError) {
    try await follow(in: wallet) { Self.instructions(for: $0, to: state) }
  }

  /// Makes the cards of the issuer follow its instructions, as one command, and returns these.
  @discardableResult
  private func follow(
    in wallet: Wallet, _ instructions: (DigitalCard) -> [CardInstruction]
  ) async throws(ProvisioningError) -> [CardInstruction] {
    do throws(WalletError) {
      let followed = try await cards(in: wallet).flatMap(instructions)
      try await wallet.follow(followed).forEach(warn)
      return followed
    } catch { throw .wallet("\(error)") }
  }

  /// What leads a card to the state that its issuer names.
  private static func instructions(for card: DigitalCard, to state: CardEntry.State) -> [CardInstruction] {
    switch (state, card.state) {
    case (.deleted, _): [.delete(card.id)]
    case (.suspended, .active): [.apply(.suspend, to: card.id)]
    case (.active, .suspended): [.apply(.resume, to: card.id)]
    default: []
    }
  }
}

extension CardService {
  func content(of delivery: CardDelivery, _ id: String) async throws(ProvisioningError) -> CardEnvelope {
    var octets = try await connection.open(delivery.envelope)
    return try CardEnvelope(content: &octets, card: delivery.card.id, delivery: id)
  }

  func send<Body: Sendable>(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?,
    _ read: (JSONValue) throws(DocumentError) -> Body
  ) async throws(ProvisioningError) -> Body {
    try Self.read(try await connection.send(method, path, body), read)
  }

  private static func read<Body: Sendable>(
    _ json: JSONValue, _ read: (JSONValue) throws(DocumentError) -> Body
  ) throws(ProvisioningError) -> Body {
    do throws(DocumentError) {
      return try read(json)
    } catch { throw .malformed("\(error)") }
  }
}

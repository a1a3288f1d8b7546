public import EMVCard
internal import EMVData

extension Wallet {
  /// All cards.
  public func cards() throws(WalletError) -> [DigitalCard] {
    try configured()
    return try stored { (store) throws(WalletStoreError) in try store.cards() }
  }

  /// Adds a card with the keys that its issuer provisioned.
  public func add(_ id: String, _ image: CardImage, keys: [LimitedUseKey]) throws(WalletError) {
    try configured()
    try stored { (store) throws(WalletStoreError) in try store.add(id, image, keys: keys) }
  }

  /// Adds a card with batches of keys that its issuer provisioned.
  ///
  /// - Parameters:
  ///   - id: The card's name, 1...64 characters.
  ///   - image: What it answers terminals with.
  ///   - keys: A batch per application of the image, in its order.
  ///   - threshold: The card needs replenishment when so many payments are left, or fewer: 0...65535.
  public func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys],
    threshold: Int = DigitalCard.standardReplenishmentThreshold
  ) throws(WalletError) {
    try configured()
    try stored { (store) throws(WalletStoreError) in try store.add(id, image, keys: keys, threshold: threshold) }
  }

  /// Removes a card with its keys and counters. A default card that goes leaves no default.
  public func delete(_ id: String) throws(WalletError) {
    try configured()
    try stored { (store) throws(WalletStoreError) in try store.delete(id) }
  }

  /// Makes a card the default.
  public func setDefault(_ id: String) throws(WalletError) {
    try configured()
    try stored { (store) throws(WalletStoreError) in try store.setDefault(id) }
  }

  /// Lets an inactive card pay from now on.
  ///
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation` for a card that is not inactive.
  public func activate(_ id: String) throws(WalletError) { try manage(id, .activate) }

  /// Stops an active card for a while.
  ///
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation` for a card that is not active.
  public func suspend(_ id: String) throws(WalletError) { try manage(id, .suspend) }

  /// Lets a suspended card pay again.
  ///
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation` for a card that is not suspended.
  public func resume(_ id: String) throws(WalletError) { try manage(id, .resume) }

  /// Stops a card for good.
  ///
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation` for a card that is retired.
  public func retire(_ id: String) throws(WalletError) { try manage(id, .retire) }

  /// Takes a card from its state to another, as `DigitalCard.State.after` has it.
  public func manage(_ id: String, _ action: CardAction) throws(WalletError) {
    try configured()
    do throws(WalletStoreError) {
      try store.apply(action, to: id)
    } catch {
      if case .stateForbids(let action, let state) = error {
        throw .cardStateDoesNotAllowRequestedOperation(state, action)
      }
      throw .store(error)
    }
  }

  /// Sets a card's state whatever it was, as its issuer tells it. What a holder does goes through `manage`.
  public func setState(_ state: DigitalCard.State, of id: String) throws(WalletError) {
    try configured()
    try stored { (store) throws(WalletStoreError) in try store.setState(state, of: id) }
  }

  /// Keeps a directory (PPSE) that the card answers with in the place of its own.
  ///
  /// - Parameters:
  ///   - octets: The response data of SELECT 2PAY.SYS.DDF01 without a status word, 256 octets at most; nil takes the
  ///     directory away.
  ///   - id: The card.
  /// - Throws: `WalletError.invalidPPSE` with everything that is wrong with it.
  public func setCustomPPSE(_ octets: [UInt8]?, of id: String) throws(WalletError) {
    try configured()
    if let octets {
      do throws(ProximityPaymentSystemEnvironmentError) {
        _ = try ProximityPaymentSystemEnvironment(parsing: octets)
      } catch { throw .invalidPPSE(error) }
    }
    try stored { (store) throws(WalletStoreError) in try store.setCustomDirectory(octets, of: id) }
  }

  /// Keeps what `WalletTransactionData.stored` adds to the payments of a card.
  ///
  /// - Parameters:
  ///   - octets: 14 at most; nil takes them away.
  ///   - id: The card.
  public func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletError) {
    try configured()
    let count = octets?.count ?? 0
    guard count <= WalletTransactionData.maximumCount else { throw .invalidWalletTransactionData(count: count) }
    try stored { (store) throws(WalletStoreError) in try store.setWalletData(octets, of: id) }
  }
}

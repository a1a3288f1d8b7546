public import EMVCard
internal import EMVData

extension Wallet {
  /// Returns all cards, in the order in which they were added.
  public func cards() throws(WalletError) -> [DigitalCard] {
    try configuredStore { (store) throws(WalletStoreError) in try store.cards() }
  }

  /// Adds a card with limited-use keys that its issuer provisioned.
  public func add(_ id: String, _ image: CardImage, keys: [LimitedUseKey]) throws(WalletError) {
    try configuredStore { (store) throws(WalletStoreError) in try store.add(id, image, keys: keys) }
  }

  /// Adds a card with batches of keys that its issuer provisioned.
  ///
  /// - Parameters:
  ///   - id: The card's name, 1...64 characters.
  ///   - image: The data with which it answers terminals.
  ///   - keys: One batch per application of the image, in its order.
  ///   - threshold: The card needs replenishment when this many payments are left, or fewer: 0...65535.
  ///   - issuer: The origin of its issuer's server; nil for a card that no server issued.
  ///   - signingKey: The key that the card's certificate certifies; nil for a card that makes no signatures.
  /// - Throws: `WalletError.store(.signingKeyMissing)` and `.store(.signingKeyDiffers)`, among others.
  public func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys],
    threshold: Int = DigitalCard.standardReplenishmentThreshold, issuer: String? = nil,
    signingKey: CardSigningKey? = nil
  ) throws(WalletError) {
    try configuredStore { (store) throws(WalletStoreError) in
      try store.add(id, image, keys: keys, threshold: threshold, issuer: issuer, signingKey: signingKey)
    }
  }

  /// Removes a card with its keys and counters, and ends its payment in progress. After the removal of the default card
  /// no card is the default.
  ///
  /// - Returns: What could not be done besides the removal.
  @discardableResult
  public func delete(_ id: String) async throws(WalletError) -> [WithdrawalWarning] {
    try await follow([.delete(id)])
  }

  /// Removes the cards of an issuer with their keys and counters, and ends a payment with one of them. The other cards stay.
  ///
  /// - Returns: What could not be done besides the removal.
  @discardableResult
  public func deleteCards(of issuer: String) async throws(WalletError) -> [WithdrawalWarning] {
    try await follow(try cards().filter { $0.issuer == issuer }.map { .delete($0.id) })
  }

  /// Makes a card the default.
  ///
  /// - Throws: `WalletError.store(.cardNotActive)` for a retired card.
  public func setDefault(_ id: String) throws(WalletError) {
    try configuredStore { (store) throws(WalletStoreError) in try store.setDefault(id) }
  }

  /// Activates an inactive card.
  ///
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation` for a card that is not inactive.
  public func activate(_ id: String) async throws(WalletError) { try await manage(id, .activate) }

  /// Suspends an active card and ends its payment in progress.
  ///
  /// - Returns: What could not be done besides the suspension.
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation` for a card that is not active.
  @discardableResult
  public func suspend(_ id: String) async throws(WalletError) -> [WithdrawalWarning] { try await manage(id, .suspend) }

  /// Resumes a suspended card.
  ///
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation` for a card that is not suspended.
  public func resume(_ id: String) async throws(WalletError) { try await manage(id, .resume) }

  /// Retires a card: it can no longer pay or be the default. Ends its payment in progress.
  ///
  /// - Returns: What could not be done besides the retirement.
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation` for a card that is retired.
  @discardableResult
  public func retire(_ id: String) async throws(WalletError) -> [WithdrawalWarning] { try await manage(id, .retire) }

  /// Changes a card's state, as `DigitalCard.State.after` defines it.
  ///
  /// - Returns: What could not be done besides a change that stops payments.
  /// - Throws: `WalletError.cardStateDoesNotAllowRequestedOperation`, among others.
  @discardableResult
  public func manage(_ id: String, _ action: CardAction) async throws(WalletError) -> [WithdrawalWarning] {
    try await follow([.apply(action, to: id)])
  }

  /// Sets a card's state, whatever it was. For instructions of the issuer; the cardholder's go through `manage`. Any
  /// state but `active` ends the payment in progress with the card.
  ///
  /// - Returns: What could not be done besides a change that stops payments.
  @discardableResult
  public func setState(_ state: DigitalCard.State, of id: String) async throws(WalletError) -> [WithdrawalWarning] {
    try await follow([.setState(state, of: id)])
  }

  /// Lifts the blocks of the applications of a card. For an instruction of the issuer, which cannot reach a blocked application
  /// through a terminal; the user cannot lift them.
  public func unblockApplications(of id: String) async throws(WalletError) {
    try await follow([.unblockApplications(of: id)])
  }

  /// Removes the keys of a card that its issuer no longer accepts. A payment that has reserved one keeps it.
  ///
  /// - Parameters:
  ///   - id: The card.
  ///   - counters: For each application the lowest transaction counter whose keys stay, 1...65536.
  /// - Returns: What could not be done besides the removal.
  @discardableResult
  public func removeKeys(of id: String, below counters: [Int]) async throws(WalletError) -> [WithdrawalWarning] {
    try await follow([.removeKeys(of: id, below: counters)])
  }

  /// Stores a directory (PPSE) that replaces the card's own.
  ///
  /// - Parameters:
  ///   - octets: The response data of SELECT 2PAY.SYS.DDF01 without a status word, 256 bytes at most; nil removes the
  ///     directory.
  ///   - id: The card.
  /// - Throws: `WalletError.invalidPPSE` with all faults of the directory.
  public func setCustomPPSE(_ octets: [UInt8]?, of id: String) throws(WalletError) {
    try configured()
    if let octets {
      do throws(ProximityPaymentSystemEnvironmentError) {
        try ProximityPaymentSystemEnvironment.check(octets)
      } catch { throw .invalidPPSE(error) }
    }
    try stored { (store) throws(WalletStoreError) in try store.setCustomDirectory(octets, of: id) }
  }

  /// Stores the data that `WalletTransactionData.stored` adds to the payments of a card.
  ///
  /// - Parameters:
  ///   - octets: 14 bytes at most; nil removes them.
  ///   - id: The card.
  public func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletError) {
    try configured()
    let count = octets?.count ?? 0
    guard count <= DigitalCard.maximumWalletDataCount else { throw .invalidWalletTransactionData(count: count) }
    try stored { (store) throws(WalletStoreError) in try store.setWalletData(octets, of: id) }
  }
}

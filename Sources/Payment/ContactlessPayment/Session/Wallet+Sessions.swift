internal import Ciphers
internal import DeviceAuthentication
internal import Dispatch
internal import EMVCard
internal import EMVData

extension Wallet {
  /// Creates a payment session.
  ///
  /// - Throws: `WalletError.notInitialized`, or `.sessionInProgress` while another payment is in
  ///   progress. A session claims the wallet when it is started; of two sessions that were created before, the second
  ///   one to start fails. A session that was created before a reset fails too.
  public func makePaymentSession(limits: SessionLimits = .standard) throws(WalletError) -> ContactlessPaymentSession {
    let verifier = try configured()
    guard !slot.isTaken else { throw .sessionInProgress }
    return ContactlessPaymentSession(wallet: self, verifier: verifier, generation: slot.generation, limits: limits)
  }

  /// Ends the payment in progress with `sessionInvalidated`: for an app whose user may no longer pay. The next command of its
  /// card finds no key. Does nothing without a payment.
  ///
  /// - Parameter reason: The reason, for people.
  public nonisolated func endPayment(because reason: String) { slot.revoke(because: .ended(reason)) }
}

/// The calls of a session to the store, on the wallet's executor.
extension Wallet {
  typealias SessionError = ContactlessPaymentSession.Error

  /// Chooses the card of a payment; nil takes the default card. From now on a change of the card revokes the payment.
  func chooseCard(_ id: String?, for claim: PaymentClaim) throws(SessionError) -> DigitalCard {
    guard let card = try storedCards().first(where: { id == nil ? $0.isDefault : $0.id == id }) else {
      throw id.map(SessionError.invalidDigitalCardID) ?? .noDefaultCard
    }
    guard card.state == .active else { throw .cardNotActive(card.state) }
    guard card.paymentsLeft > 0 else { throw .noPaymentKeys }
    try checkDirectory(of: card)
    claim.bind(to: card.id)
    return card
  }

  /// A store's data are checked like those of any file.
  private func checkDirectory(of card: DigitalCard) throws(SessionError) {
    guard let directory = card.customDirectory else { return }
    do throws(ProximityPaymentSystemEnvironmentError) {
      try ProximityPaymentSystemEnvironment.check(directory)
    } catch { throw .cardNotSupported("\(error)") }
  }

  /// Reserves one use of every application of the card that was chosen, and makes the card the default.
  ///
  /// - Throws: No use is reserved then. `sessionInvalidated` when another card has the name by now;
  ///   `authenticationKeyInvalidated` when the device has lost the key.
  func reserveUses(of card: DigitalCard, makingItDefault: Bool) async throws(SessionError) -> ReservedUses {
    try await accessKey()
    let uses: ReservedUses
    do throws(WalletError) {
      uses = try await reserve(card.id)
    } catch { throw SessionError(error) }
    do throws(SessionError) {
      try checkIdentity(of: card)
      let (counters, keys) = (uses.counters.count, uses.keys.count)
      guard counters == card.image.applications.count, keys == card.image.keyCount else {
        throw .cardNotSupported("its store returned \(counters) counters and \(keys) keys")
      }
      guard uses.hasState(of: card.image) else { throw .cardNotSupported("its store returned another card's state") }
      if makingItDefault { try makeDefault(card) }
    } catch {
      settle(Settlement(id: uses.id, spent: []))
      throw error
    }
    return uses
  }

  /// Numbers of cards are never reused: a card that has the name and the number now had them at the reservation too.
  private func checkIdentity(of card: DigitalCard) throws(SessionError) {
    guard let present = try storedCards().first(where: { $0.id == card.id }), present.number == card.number else {
      throw .sessionInvalidated("the card \"\(card.id)\" was removed from the wallet, or replaced")
    }
  }

  /// The chosen card stays the default whatever the payment leads to: its cardholder has confirmed the choice.
  private func makeDefault(_ card: DigitalCard) throws(SessionError) {
    guard !card.isDefault else { return }
    do throws(WalletStoreError) {
      try store.setDefault(card.id)
    } catch { throw .setDefaultCardFailure("\(error)") }
  }

  private func storedCards() throws(SessionError) -> [DigitalCard] {
    do throws(WalletStoreError) {
      return try store.cards()
    } catch { throw .unknown("\(error)") }
  }

  /// Ends a reservation after all calls that were made before, without waiting for a store whose calls may block.
  nonisolated func settle(_ settlement: Settlement) {
    let store = store
    // A store that fails here keeps the reservation, and a reservation that is left counts as spent.
    executor.perform { try? store.settle(settlement.id, spent: settlement.spent, counting: settlement.offline) }
  }

  /// How long a card waits until a change of its issuer is stored.
  private static let storeLimit = 5

  /// Stores what a script of the issuer changes in a card and counts it on the device; the card's thread waits for both.
  ///
  /// - Returns: False when the store failed, or took more than 5 s: then it may store the change nevertheless.
  nonisolated func keep(_ change: CardStateChange, inCard number: Int64) -> Bool {
    let (isStored, ended) = (SharedFlag(), DispatchSemaphore(value: 0))
    Task {
      await keep(change, inCard: number, noting: isStored)
      ended.signal()
    }
    _ = ended.wait(timeout: .now() + .seconds(Self.storeLimit))
    return isStored.exchange(false)
  }

  /// Stores what a script changes in a card, which can be a block, and counts it on the device.
  ///
  /// - Parameter isStored: Set when the change is stored, before it is counted. What this process cannot count, the next
  ///   opening counts.
  private func keep(_ change: CardStateChange, inCard number: Int64, noting isStored: SharedFlag) async {
    _ = try? await counted { (store) throws(WalletStoreError) in
      try store.applyScript([change], toCard: number)
      _ = isStored.exchange(true)
    }
  }

  /// Returns when every settlement that was submitted before is stored.
  ///
  /// An empty function of the actor would not do: an optimised build calls it without waiting for the actor's turn.
  nonisolated func settled() async {
    await withCheckedContinuation { continuation in executor.perform { continuation.resume() } }
  }

  /// Uses the key to which the wallet is bound.
  ///
  /// - Throws: `authenticationKeyInvalidated` for a key that is lost, and nothing was removed yet; `sessionInvalidated`
  ///   when another process has reset the wallet; `keychainError`.
  private func accessKey() async throws(SessionError) {
    guard let key = verifier?.key?.identifier else { throw SessionError(PaymentRevocation.walletWasReset) }
    let access: KeyAccess
    do throws(DeviceAuthenticationError) {
      access = try await device.keys.access(key)
    } catch { throw SessionError(error) }
    switch access {
    case .usable: break
    case .invalidated(let reason): throw .authenticationKeyInvalidated(reason)
    case .missing:
      if await isReset(under: key) { throw SessionError(PaymentRevocation.walletWasReset) }
      throw .authenticationKeyInvalidated(.keyGone)
    }
  }

  /// Whether another process is resetting the wallet, which deletes the key before the cards. Waits 500 ms for that.
  private func isReset(under key: KeyIdentifier) async -> Bool {
    guard store.mayBlock else { return false }
    for _ in 0..<20 {
      do throws(WalletStoreError) {
        if try store.binding()?.key.identifier != key { return true }
      } catch {
        // A store that cannot be read shows no reset.
      }
      try? await Task.sleep(for: .milliseconds(25))
    }
    return false
  }

  /// The error of a session whose key may be lost. Removes all local data when it is.
  func loss(ofKeyOf generation: UInt64) async -> SessionError {
    do throws(SessionError) {
      try await accessKey()
      return .unavailable("the device has reported the loss of a key that works")
    } catch .authenticationKeyInvalidated(let reason, wipeFailure: _) {
      return .authenticationKeyInvalidated(reason, wipeFailure: await wipe(forKeyOf: generation))
    } catch {
      if case .keychainError(let failure) = error { return .unavailable("\(failure)") }
      return error
    }
  }

  /// Removes all local data because the key of a generation is invalid. Does nothing in a later generation, or when
  /// another process has set the wallet up again.
  ///
  /// - Returns: The error of a wipe that failed.
  func wipe(forKeyOf generation: UInt64) async -> WalletError? {
    guard generation == slot.generation else { return nil }
    if let binding = try? store.binding(), binding.key != verifier?.key { return nil }
    do throws(WalletError) {
      try await wipe(isKeyLost: true)
      return nil
    } catch { return error }
  }
}

internal import DeviceAuthentication
internal import EMVCard
internal import EMVData
internal import Links
internal import Octets

/// One payment: verifies the cardholder, arms the card and answers a terminal. `Wallet.makePaymentSession` creates it.
///
/// The actor performs the effects of `SessionMachine`. The card runs on a thread of its own, one per link.
public actor ContactlessPaymentSession {
  /// The events of the session, in the order in which they occur. The stream ends after exactly one
  /// `transactionCompleted` or `errorEncountered`.
  public nonisolated let events: AsyncStream<Event>

  let continuation: AsyncStream<Event>.Continuation
  let wallet: Wallet
  let store: any WalletStore
  let verifier: CardholderVerifier
  let environment: any PaymentEnvironment
  let clock: any MonotonicClock
  let random: any RandomSource
  let nonce: [UInt8]
  let limits: SessionLimits
  let exchange = CardExchange()

  var machine: SessionMachine
  var timers: [Task<Void, Never>] = []

  init(
    wallet: Wallet, store: any WalletStore, verifier: CardholderVerifier, environment: any PaymentEnvironment,
    clock: any MonotonicClock, random: any RandomSource, limits: SessionLimits
  ) {
    (events, continuation) = AsyncStream.makeStream()
    self.wallet = wallet
    self.store = store
    self.verifier = verifier
    self.environment = environment
    self.clock = clock
    self.random = random
    nonce = random.octets(16)
    self.limits = limits
    machine = SessionMachine(retryLimit: limits.retries?.limit)
  }

  /// A session that is released before its card was on a link returns its reserved uses.
  deinit {
    if let id = machine.unusedReservation { try? store.settle(id, spent: []) }
  }

  /// Chooses the card and asks the app to let the cardholder verify. A session that was started ignores further calls.
  ///
  /// - Parameters:
  ///   - id: The card, which becomes the default once the cardholder is verified; nil takes the default card.
  ///   - walletData: The wallet's part of the issuer application data, tag 9F10, of Mastercard applications: 14 bytes
  ///     at most; nil adds nothing. A card without such an application fails with `schemeNotSupported`.
  public func startPayment(withDigitalCardID id: String? = nil, walletData: WalletTransactionData? = nil) {
    guard machine.isIdle else { return }
    do throws(Error) {
      if let obstacle = environment.obstacle() { throw Error(obstacle) }
      let claim = try claimPayment()
      let card = try chooseCard(id)
      let octets = try walletData?.octets(for: card) ?? []
      guard machine.start(StartedPayment(card: card, walletData: octets, claim: claim)) else { return }
      continuation.yield(.authenticationRequired(AuthenticationAction(session: self)))
    } catch { fail(error) }
  }

  private func claimPayment() throws(Error) -> PaymentClaim {
    let claim = wallet.slot.claim { [weak self] in
      Task { await self?.invalidate("the wallet was reset") }
    }
    guard let claim else { throw .sessionInvalidated("another payment of this wallet is in progress") }
    return claim
  }

  private func chooseCard(_ id: String?) throws(Error) -> DigitalCard {
    let cards: [DigitalCard]
    do throws(WalletStoreError) {
      cards = try store.cards()
    } catch { throw .unknown("\(error)") }
    guard let card = cards.first(where: { id == nil ? $0.isDefault : $0.id == id }) else {
      throw id.map(Error.invalidDigitalCardID) ?? .noDefaultCard
    }
    guard card.state == .active else { throw .cardNotActive(card.state) }
    guard card.paymentsLeft > 0 else { throw .noPaymentKeys }
    try checkDirectory(of: card)
    return card
  }

  /// A store's data are checked like those of any file.
  private func checkDirectory(of card: DigitalCard) throws(Error) {
    guard let directory = card.customDirectory else { return }
    do throws(ProximityPaymentSystemEnvironmentError) {
      _ = try ProximityPaymentSystemEnvironment(parsing: directory)
    } catch { throw .cardNotSupported("\(error)") }
  }

  /// Ends the session with `cancelled`, in any state; a session that has ended stays as it is.
  public func cancel() { fail(.cancelled) }

  /// Ends the session with `sessionInvalidated`, in any state: for an app that the system moves to the background, or
  /// whose presentment intent has expired.
  ///
  /// - Parameter reason: The reason, for people.
  public func invalidate(_ reason: String) { fail(.sessionInvalidated(reason)) }

  /// Waits until the card has left the link and its uses are settled. Returns at once when there was no emulation.
  public func finished() async {
    await machine.presentation?.listener.value
  }
}

internal import DeviceAuthentication
internal import EMVCard
internal import EMVData
internal import Links
internal import Octets

/// One payment: verifies the holder, arms the card, answers a terminal. Begun by `Wallet.makePaymentSession`.
///
/// The actor is the asynchronous shell; the card itself runs on a thread of its own, one per link.
public actor ContactlessPaymentSession {
  /// What happens, in order; ends after exactly one `transactionCompleted` or `errorEncountered`.
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

  var machine: SessionMachine
  var claim: PaymentClaim?
  var card: DigitalCard?
  var walletData: [UInt8] = []
  var cardholder: VerifiedCardholder?
  var reservation: (id: ReservationID, counters: [UInt16])?
  let exchange = CardExchange()
  var link: (any EmulationLink)?
  var thread: DedicatedThread<Void, Never>?
  var verification: Task<Void, Never>?
  var timers: [Task<Void, Never>] = []
  var listener: Task<Void, Never>?

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

  /// A session that is let go before it was presented gives back what it had reserved.
  deinit {
    if let id = reservation?.id { try? store.settle(id, spent: []) }
  }

  /// Chooses the card and asks the app to let the holder verify. A session that was started ignores further calls.
  ///
  /// - Parameters:
  ///   - id: The card, which becomes the default once the holder is verified; nil takes the default card.
  ///   - walletData: What the wallet adds to the issuer application data, tag 9F10, of Mastercard applications: 14
  ///     octets at most; nil adds nothing. A card without such an application fails with `schemeNotSupported`.
  public func startPayment(withDigitalCardID id: String? = nil, walletData: WalletTransactionData? = nil) {
    guard machine.state == .idle else { return }
    do throws(Error) {
      if let obstacle = environment.obstacle() { throw Error(obstacle) }
      try claimPayment()
      let card = try chooseCard(id)
      self.walletData = try walletData?.octets(for: card) ?? []
      self.card = card
    } catch {
      fail(error)
      return
    }
    guard machine.start() else { return }
    continuation.yield(.authenticationRequired(AuthenticationAction(session: self)))
  }

  private func claimPayment() throws(Error) {
    claim = wallet.slot.claim { [weak self] in
      Task { await self?.invalidate("the wallet was reset") }
    }
    if claim == nil { throw .sessionInvalidated("another payment of this wallet is under way") }
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

  /// What a store gives back is as little to be trusted as any file.
  private func checkDirectory(of card: DigitalCard) throws(Error) {
    guard let directory = card.customDirectory else { return }
    do throws(ProximityPaymentSystemEnvironmentError) {
      _ = try ProximityPaymentSystemEnvironment(parsing: directory)
    } catch { throw .cardNotSupported("\(error)") }
  }

  /// Ends the session with `cancelled`, in any state; a session that has ended stays as it is.
  public func cancel() { fail(.cancelled) }

  /// Ends the session with `sessionInvalidated`, in any state: for an app that the system sends to the background, or
  /// whose presentment intent has lapsed.
  ///
  /// - Parameter reason: What happened, for people.
  public func invalidate(_ reason: String) { fail(.sessionInvalidated(reason)) }

  /// Waits until the card has left the link and its uses are settled. Returns at once when there was no emulation.
  public func finished() async {
    await listener?.value
  }
}

internal import DeviceAuthentication
internal import EMVCard
internal import ISO7816
public import Links
internal import Octets
internal import Synchronization

/// One payment: verifies the holder, arms the card, answers a terminal. Begun by `Wallet.makePaymentSession`.
///
/// The actor is the asynchronous shell; the card itself runs on a thread of its own, one per link.
public actor ContactlessPaymentSession {
  /// What happens, in order; ends after exactly one `transactionCompleted` or `errorEncountered`.
  public nonisolated let events: AsyncStream<Event>

  private let continuation: AsyncStream<Event>.Continuation
  private let wallet: Wallet
  private let store: any WalletStore
  private let verifier: CardholderVerifier
  private let clock: any MonotonicClock
  private let nonce: [UInt8]
  private let limits: SessionLimits

  private var machine = SessionMachine()
  private var card: DigitalCard?
  private var cardholder: VerifiedCardholder?
  private var reservation: (id: ReservationID, counters: [UInt16])?
  private let exchange = CardExchange()
  private var link: (any EmulationLink)?
  private var thread: DedicatedThread<Void, Never>?
  private var verification: Task<Void, Never>?
  private var timers: [Task<Void, Never>] = []
  private var listener: Task<Void, Never>?

  init(
    wallet: Wallet, store: any WalletStore, verifier: CardholderVerifier, clock: any MonotonicClock, nonce: [UInt8],
    limits: SessionLimits
  ) {
    (events, continuation) = AsyncStream.makeStream()
    self.wallet = wallet
    self.store = store
    self.verifier = verifier
    self.clock = clock
    self.nonce = nonce
    self.limits = limits
  }

  /// A session that is let go before it was presented gives back what it had reserved.
  deinit {
    if let id = reservation?.id { try? store.settle(id, spent: []) }
  }

  /// Chooses the card and asks the app to let the holder verify. A session that was started ignores further calls.
  ///
  /// - Parameter id: The card, which becomes the default when the payment completes; nil takes the default card.
  public func startPayment(withDigitalCardID id: String? = nil) {
    guard machine.state == .idle else { return }
    do throws(Error) {
      card = try chooseCard(id)
    } catch {
      fail(error)
      return
    }
    guard machine.start() else { return }
    continuation.yield(.authenticationRequired(AuthenticationAction(session: self)))
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
    return card
  }

  /// Ends the session with `cancelled`, in any state; a session that has ended stays as it is.
  public func cancel() {
    fail(.cancelled)
    link?.stop()
  }

  // MARK: Verification and arming

  func authenticate() async {
    guard machine.proceed() else { return }
    let task = Task { await self.verify() }
    verification = task
    await task.value
  }

  private func verify() async {
    do throws(DeviceAuthenticationError) {
      let verification = try await verifier.verify(nonce: nonce, validity: limits.verificationValidity)
      let cardholder = verification.redeem(nonce: nonce)
      guard machine.verified() else { return }
      self.cardholder = cardholder
      guard arm() else { return }
      continuation.yield(.authenticationCompleted)
    } catch {
      if case .authenticationKeyInvalidated = error { await wipe() }
      fail(Error(error))
    }
  }

  /// Local data go with the key; what cannot be removed now is unusable without it.
  private func wipe() async {
    try? await wallet.reset()
  }

  /// Reserves one use per application and hands the card what it needs. Ends the session where that is impossible.
  private func arm() -> Bool {
    guard let card, let cardholder else { preconditionFailure("only a verified session with a card is armed") }
    do throws(WalletStoreError) {
      let uses = try store.reserve(card.id)
      reservation = (uses.id, uses.counters)
      guard uses.counters.count == card.image.applications.count else {
        fail(.invalidDigitalCardID(card.id))
        return false
      }
      exchange.put(Arming(uses, cardholder))
      return true
    } catch {
      fail(Error(error))
      return false
    }
  }

  // MARK: Emulation

  /// Presents the armed card on a link and answers terminals until the payment ends.
  ///
  /// - Throws: `EmulationRefusal` before `authenticationCompleted`, on a second call, and after the end; nothing is
  ///   presented then.
  public func startEmulation(on link: some EmulationLink) throws(EmulationRefusal) {
    if case .refused(let reason) = machine.startEmulation() { throw reason }
    guard let image = card?.image else { preconditionFailure("an armed session has a card") }
    self.link = link
    let exchange = exchange
    listener = Task { for await notice in exchange.notices { self.take(notice) } }
    thread = DedicatedThread(named: "card") {
      var served = ServedCard(image: image, exchange: exchange)
      var failure: LinkError?
      do throws(LinkError) {
        try link.serve(&served)
      } catch {
        failure = error
      }
      exchange.tell(.linkEnded(failure, served.record))
      exchange.finish()
    }
    after(limits.emulation) { $0.limitReached() }
  }

  /// Waits until the card has left the link and its uses are settled. Returns at once when there was no emulation.
  public func finished() async {
    await listener?.value
  }

  private func limitReached() {
    fail(.maxSessionDurationReached)
    link?.stop()
  }

  private func take(_ notice: CardNotice) {
    switch notice {
    case .terminalCame: if machine.terminalCame() { continuation.yield(.posConnected) }
    case .terminalLeft(let record): terminalLeft(record)
    case .refusedExpired: leave(fail(.authenticationExpired))
    case .completed(let record): complete(record)
    case .linkEnded(let error, let record):
      for timer in timers { timer.cancel() }
      settle(record)
      fail(.transmissionError(error ?? LinkError(.stopped, "the card was taken off the link")))
    }
  }

  /// Before a cryptogram the same use goes on; after one, the next tap needs another.
  private func terminalLeft(_ record: TransactionRecord?) {
    guard machine.state != .ended else {
      link?.stop()
      return
    }
    if touches(record) {
      settle(record)
      guard arm() else {
        link?.stop()
        return
      }
    }
    if machine.terminalLeft() { continuation.yield(.posDisconnected) }
  }

  private func complete(_ record: TransactionRecord) {
    guard let card else { preconditionFailure("a session that pays has a card") }
    settle(record)
    if !card.isDefault { try? store.setDefault(card.id) }
    leave(end(.transactionCompleted(TransactionContext(record, of: card.image, digitalCardID: card.id))))
  }

  /// The answer is still on its way to the terminal, which may read on for a moment.
  private func leave(_ hasEnded: Bool) {
    if hasEnded { after(limits.linger) { $0.removeFromLink() } }
  }

  private func removeFromLink() { link?.stop() }

  // MARK: Ending

  @discardableResult
  private func fail(_ error: Error) -> Bool {
    verification?.cancel()
    let hasEnded = end(.errorEncountered(error))
    // Nothing was presented: what was reserved for it comes back, and its keys go.
    if thread == nil {
      _ = exchange.take()
      settle(nil)
    }
    return hasEnded
  }

  private func end(_ event: Event) -> Bool {
    guard machine.end() else { return false }
    continuation.yield(event)
    continuation.finish()
    return true
  }

  private func settle(_ record: TransactionRecord?) {
    guard let id = reservation?.id else { return }
    let spent = touches(record) ? record.map { Set([$0.application]) } : nil
    reservation = nil
    // A store that fails here keeps the reservation, which then counts as spent: the safe side.
    try? store.settle(id, spent: spent ?? [])
  }

  /// Whether a record is of the present reservation. A card tells of a use again until it takes another.
  private func touches(_ record: TransactionRecord?) -> Bool {
    guard let record, let counters = reservation?.counters else { return false }
    return counters[record.application] == record.transactionCounter
  }

  private func after(_ duration: Duration, _ action: @escaping @Sendable (isolated ContactlessPaymentSession) -> Void) {
    let due = clock.now + duration
    timers.append(
      Task { [clock, weak self] in
        guard (try? await clock.sleep(until: due)) != nil else { return }
        await self?.run(action)
      })
  }

  private func run(_ action: @Sendable (isolated ContactlessPaymentSession) -> Void) { action(self) }
}

extension Arming {
  /// Binds reserved uses to a verification of the holder.
  init(_ uses: consuming ReservedUses, _ cardholder: VerifiedCardholder) {
    self.init(keys: uses.keys, counters: uses.counters, deadline: cardholder.deadline)
  }
}

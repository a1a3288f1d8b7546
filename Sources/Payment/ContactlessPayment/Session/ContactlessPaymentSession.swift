internal import DeviceAuthentication
internal import EMVCard
internal import Octets

/// One payment: verifies the cardholder, arms the card and answers a terminal. `Wallet.makePaymentSession` creates it.
///
/// The actor performs the effects of `SessionMachine`. The card runs on a thread of its own, one per link, or in a task on
/// the wallet's task executor when the terminal runs inside the link. Calls of the wallet's store run on the wallet's
/// executor, so that `cancel()` does not wait for them.
public actor ContactlessPaymentSession {
  /// The events of the session, in the order in which they occur. The stream ends after exactly one
  /// `transactionCompleted` or `errorEncountered`, also when the session is released.
  public nonisolated let events: AsyncStream<Event>

  let continuation: AsyncStream<Event>.Continuation
  let wallet: Wallet
  /// The generation of the wallet in which the session was created. Only then it may pay.
  let generation: UInt64
  let verifier: CardholderVerifier
  let clock: any MonotonicClock
  let nonce: [UInt8]
  let limits: SessionLimits
  nonisolated let exchange = CardExchange()

  var machine: SessionMachine
  var timers: [ScheduledCall] = []
  /// Ends an armed session whose card is on no link.
  var expiry: ScheduledCall?
  /// What the armed card checks; nil while the card is not armed.
  var rights: ArmedRights? { didSet { if rights == nil { oldValue?.watch.end() } } }
  /// The instant at which the emulation ends; nil before it.
  var emulationEnd: Instant?
  /// The wipe after a loss of the key: the notices of the card wait for it.
  var wiping: Task<Void, Never>?
  /// The online payment whose issuer's response the card awaits: it is complete, whatever ends the session.
  var presented: TransactionRecord?
  /// What the cryptograms of this session have spent, in their order.
  var spent: [TransactionContext] = []
  /// The error of a session that ended while its card may have spent a use: the last event is sent when the session has
  /// the card's cryptogram.
  var pendingError: Error?

  init(wallet: Wallet, verifier: CardholderVerifier, generation: UInt64, limits: SessionLimits) {
    (events, continuation) = AsyncStream.makeStream()
    self.wallet = wallet
    self.generation = generation
    self.verifier = verifier
    clock = wallet.clock
    nonce = wallet.random.octets(16)
    self.limits = limits
    machine = SessionMachine()
  }

  /// A session that is released before its card was on a link returns its reserved uses.
  deinit {
    for timer in timers { timer.cancel() }
    expiry?.cancel()
    if let id = machine.unusedReservation { wallet.settle(Settlement(id: id, spent: [])) }
    // Without effect when the last event was sent before.
    continuation.yield(.errorEncountered(.sessionInvalidated("the session was released before its end"), spent: spent))
    continuation.finish()
  }

  /// Chooses the card and asks the app to let the cardholder verify. A session that was started ignores further calls.
  ///
  /// - Parameters:
  ///   - id: The card, which becomes the default once the cardholder is verified; nil takes the default card.
  ///   - walletData: The wallet's part of the issuer application data, tag 9F10, of Mastercard applications: 14 bytes
  ///     at most; nil adds nothing. A card without such an application fails with `schemeNotSupported`.
  public func startPayment(withDigitalCardID id: String? = nil, walletData: WalletTransactionData? = nil) async {
    guard machine.prepare() else { return }
    do throws(Error) {
      try checkEnvironment()
      let claim = try claimPayment()
      let card = try await wallet.chooseCard(id, for: claim)
      let octets = try walletData?.octets(for: card) ?? []
      // The session may have ended while the store was read.
      guard machine.start(StartedPayment(card: card, walletData: octets, claim: claim)) else { return }
      continuation.yield(.authenticationRequired(AuthenticationAction(session: self)))
    } catch { fail(error) }
  }

  /// - Throws: The obstacle to a payment at this moment.
  func checkEnvironment() throws(Error) {
    if let obstacle = wallet.environment.obstacle() { throw Error(obstacle) }
  }

  private func claimPayment() throws(Error) -> PaymentClaim {
    do throws(PaymentClaimRefusal) {
      return try wallet.slot.claim(of: generation) { [exchange, weak self] revocation in
        // At once: the card's next command must find no key, and its notice must come after the end of the session.
        exchange.revoke()
        Task.immediate { await self?.fail(Error(revocation)) }
      }
    } catch { throw Error(error) }
  }

  /// Ends the session with `cancelled`, in any state; a session that has ended stays as it is. Returns at once. The last
  /// event follows at once too, unless the card may have given a cryptogram that is not settled: then it names the use,
  /// at the latest when the card has left its link.
  public func cancel() { fail(.cancelled) }

  /// Ends the session with `sessionInvalidated`, in any state: for an app that the system moves to the background, or
  /// whose presentment intent has expired.
  ///
  /// - Parameter reason: The reason, for people.
  public func invalidate(_ reason: String) { fail(.sessionInvalidated(reason)) }

  /// Waits until the card has left the link and its uses are settled.
  public func finished() async {
    await wiping?.value
    await machine.presentation?.listener.value
    await wallet.settled()
  }
}

public import DeviceAuthentication
public import Octets

/// Digital cards on one device under one cardholder verification policy.
public actor Wallet {
  let store: any WalletStore
  private let device: DevicePorts
  private let environment: any PaymentEnvironment
  private let clock: any MonotonicClock
  private let random: any RandomSource
  let replenishment: (any ReplenishmentService)?
  /// The cards for which an issuer is being asked.
  var replenishing: Set<String> = []
  private var verifier: CardholderVerifier?
  // An actor lets others in while it awaits the device.
  private var isChanging = false
  nonisolated let slot = PaymentSlot()

  /// Creates a wallet that is not initialized.
  ///
  /// - Parameters:
  ///   - store: Where cards, keys and counters are kept.
  ///   - device: Who verifies the holder.
  ///   - environment: What may forbid payments on this device.
  ///   - clock: What limits and deadlines are measured with.
  ///   - random: Where nonces and the cards' random numbers come from.
  ///   - replenishment: The way to the issuers of its cards, for `replenish`.
  public init(
    store: any WalletStore, device: DevicePorts, environment: any PaymentEnvironment = OpenEnvironment(),
    clock: any MonotonicClock = SystemClock(), random: any RandomSource = SystemRandomSource(),
    replenishment: (any ReplenishmentService)? = nil
  ) {
    self.store = store
    self.device = device
    self.environment = environment
    self.clock = clock
    self.random = random
    self.replenishment = replenishment
  }

  /// Initializes the wallet: fixes the policy and has the device make the wallet's key.
  ///
  /// The same policy again does nothing; another needs a `reset` before.
  public func configure(_ policy: CardholderVerificationPolicy) async throws(WalletError) {
    guard !isChanging else { throw .busy }
    isChanging = true
    defer { isChanging = false }
    if let present = verifier?.policy {
      guard present == policy else { throw .alreadyConfigured(present) }
      return
    }
    let verifier = CardholderVerifier(policy: policy, ports: device, clock: clock)
    do throws(DeviceAuthenticationError) {
      try await verifier.enrolKey()
    } catch { throw .device(error) }
    self.verifier = verifier
  }

  /// Whether the device can verify its owner under the policy.
  public func eligibility() async throws(WalletError) -> DeviceOwnerAuthentication {
    try await configured().eligibility()
  }

  /// Begins a payment session.
  ///
  /// - Throws: `WalletError.sessionInProgress` while another payment, a tap or any other, is under way. A session takes
  ///   its place when it is started; of two that were made before, the second to start fails.
  public func makePaymentSession(limits: SessionLimits = .standard) throws(WalletError) -> ContactlessPaymentSession {
    let verifier = try configured()
    guard !slot.isTaken else { throw .sessionInProgress }
    return ContactlessPaymentSession(
      wallet: self, store: store, verifier: verifier, environment: environment, clock: clock, random: random,
      limits: limits)
  }

  /// Takes the wallet's one place for a payment that is no tap, until the claim is let go.
  ///
  /// - Parameter invalidate: Called when the wallet is reset meanwhile: the payment must end.
  /// - Throws: `WalletError.sessionInProgress` while another payment is under way.
  public func claimPayment(onInvalidation invalidate: @escaping @Sendable () -> Void) throws(WalletError)
    -> PaymentClaim
  {
    _ = try configured()
    guard let claim = slot.claim(onInvalidation: invalidate) else { throw .sessionInProgress }
    return claim
  }

  /// Removes all local data: cards, keys and the device's key. Every further call says "not initialized" until
  /// `configure`, and a payment that is under way ends with `sessionInvalidated`.
  ///
  /// - Throws: `WalletError.busy`, or `.store` when the cards could not be removed: nothing has changed then. `.device`
  ///   when only the device's key could not be: the cards are gone, and the next `configure` replaces the key.
  public func reset() async throws(WalletError) {
    defer { if verifier == nil { slot.invalidate() } }
    try await wipe()
  }

  /// Removes all local data; whoever pays knows of it.
  func wipe() async throws(WalletError) {
    guard !isChanging else { throw .busy }
    isChanging = true
    defer { isChanging = false }
    try stored { (store) throws(WalletStoreError) in try store.wipe() }
    // Not before: a wallet that still has its cards must not be configured anew, under a key that was not theirs.
    let former = verifier
    verifier = nil
    do throws(DeviceAuthenticationError) {
      try await former?.deleteKey()
    } catch { throw .device(error) }
  }

  @discardableResult
  func configured() throws(WalletError) -> CardholderVerifier {
    guard let verifier else { throw .notInitialized }
    return verifier
  }

  func stored<Result>(
    _ body: (any WalletStore) throws(WalletStoreError) -> Result
  ) throws(WalletError) -> Result {
    do throws(WalletStoreError) {
      return try body(store)
    } catch { throw .store(error) }
  }
}

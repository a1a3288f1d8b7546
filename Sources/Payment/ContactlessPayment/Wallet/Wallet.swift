public import DeviceAuthentication
public import Octets

/// Digital cards on one device under one cardholder verification policy.
public actor Wallet {
  let store: any WalletStore
  private let device: DevicePorts
  let environment: any PaymentEnvironment
  let clock: any MonotonicClock
  let random: any RandomSource
  let replenishment: (any ReplenishmentService)?
  /// The cards with a request for keys in progress.
  var replenishing: Set<String> = []
  private var verifier: CardholderVerifier?
  // Other calls can run while the actor awaits the device.
  private var isChanging = false
  nonisolated let slot = PaymentSlot()
  nonisolated let executor = StoreExecutor()

  /// The executor of the wallet: a queue of its own, since the calls of its store may block.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Creates a wallet that is not initialized.
  ///
  /// - Parameters:
  ///   - store: The storage of cards, keys and counters.
  ///   - device: The device that verifies the cardholder.
  ///   - environment: The check whether a payment is allowed.
  ///   - clock: The clock of limits and deadlines.
  ///   - random: The source of nonces and of the cards' random numbers.
  ///   - replenishment: The issuers of its cards, for `replenish`.
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

  /// Initializes the wallet: sets the policy and creates the wallet's key on the device. A second call with the same
  /// policy does nothing.
  ///
  /// - Throws: `WalletError.alreadyConfigured` for another policy, which needs a `reset` before; `.busy`; or `.device`.
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
      self.verifier = verifier.bound(to: try await verifier.enrolKey())
    } catch { throw .device(error) }
  }

  /// Returns whether the device can verify its owner under the policy.
  public func eligibility() async throws(WalletError) -> DeviceOwnerAuthentication {
    try await configured().eligibility()
  }

  /// Claims the wallet for a payment that is not a tap, until the claim is released.
  ///
  /// - Parameter invalidate: Called when the wallet is reset during the payment, which must end then.
  /// - Throws: `WalletError.sessionInProgress` while another payment is in progress.
  public func claimPayment(onInvalidation invalidate: @escaping @Sendable () -> Void) throws(WalletError)
    -> PaymentClaim
  {
    _ = try configured()
    do throws(PaymentClaimRefusal) {
      return try slot.claim { _ in invalidate() }
    } catch { throw .sessionInProgress }
  }

  /// Removes all local data: cards, keys and the device's key. Every later call throws `notInitialized` until
  /// `configure`, and a payment in progress ends with `sessionInvalidated`.
  ///
  /// - Throws: `WalletError.busy`, or `.store` when the cards could not be removed; nothing has changed then. `.device`
  ///   when only the device's key could not be removed; the next `configure` creates another.
  public func reset() async throws(WalletError) {
    try await wipe()
  }

  /// Removes all local data. Sessions that were created before it do not start, and a payment in progress is revoked.
  func wipe() async throws(WalletError) {
    guard !isChanging else { throw .busy }
    isChanging = true
    defer { isChanging = false }
    try stored { (store) throws(WalletStoreError) in try store.wipe() }
    // Only after the cards: a wallet that has its cards must not be configured again, with another key.
    let former = verifier
    verifier = nil
    slot.reset()
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

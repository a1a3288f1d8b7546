public import DeviceAuthentication
public import Octets

/// Digital cards on one device under one cardholder verification policy.
public actor Wallet {
  let store: any WalletStore
  let device: DevicePorts
  let environment: any PaymentEnvironment
  let clock: any MonotonicClock
  let random: any RandomSource
  let replenishment: (any ReplenishmentService)?
  /// The executor of the tasks of sessions; nil for the cooperative pool.
  let taskExecutor: (any TaskExecutor)?
  /// The cards with a request for keys in progress.
  var replenishing: Set<String> = []
  /// Verifies under the policy and the key of the store's binding; nil before `configure`. `Wallet+SetUp` sets it.
  var verifier: CardholderVerifier?
  /// Whether a `configure` or a `reset` is in progress: other calls can run while the actor awaits the device.
  var isChanging = false
  nonisolated let slot = PaymentSlot()
  nonisolated let executor: StoreExecutor

  /// The executor of the wallet: a queue of its own for a store whose calls may block.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.unowned }

  /// Creates a wallet that is not initialized.
  ///
  /// - Parameters:
  ///   - store: The storage of cards, keys and counters.
  ///   - device: The device that verifies the cardholder.
  ///   - environment: The check whether a payment is allowed.
  ///   - clock: The clock of limits and deadlines.
  ///   - random: The source of nonces and of the cards' random numbers.
  ///   - replenishment: The issuers of its cards, for `replenish`.
  ///   - taskExecutor: The executor that the tasks of its sessions prefer; nil for the cooperative pool.
  public init(
    store: any WalletStore, device: DevicePorts, environment: any PaymentEnvironment = OpenEnvironment(),
    clock: any MonotonicClock = SystemClock(), random: any RandomSource = SystemRandomSource(),
    replenishment: (any ReplenishmentService)? = nil, taskExecutor: (any TaskExecutor)? = nil
  ) {
    self.store = store
    executor = StoreExecutor(mayBlock: store.mayBlock)
    self.device = device.keepingKeysOfOtherTPMs()
    self.environment = environment
    self.clock = clock
    self.random = random
    self.replenishment = replenishment
    self.taskExecutor = taskExecutor
  }

  /// Returns whether the device can verify its owner under the policy.
  public func eligibility() async throws(WalletError) -> DeviceOwnerAuthentication {
    try await configured().eligibility()
  }

  @discardableResult
  func configured() throws(WalletError) -> CardholderVerifier {
    guard let verifier else { throw .notInitialized }
    return verifier
  }

  /// A call of the store, in a wallet that is configured.
  func configuredStore<Result: ~Copyable>(
    _ body: (any WalletStore) throws(WalletStoreError) -> Result
  ) throws(WalletError) -> Result {
    try configured()
    return try stored(body)
  }

  func stored<Result: ~Copyable>(
    _ body: (any WalletStore) throws(WalletStoreError) -> Result
  ) throws(WalletError) -> Result {
    do throws(WalletStoreError) {
      return try body(store)
    } catch { throw .store(error) }
  }
}

public import DeviceAuthentication
public import EMVCard
public import Octets

/// Why a wallet refused.
public enum WalletError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `configure` was not called, or the wallet was wiped since.
  case notInitialized
  /// The wallet is set up already; its policy cannot change without a reset.
  case alreadyConfigured(CardholderVerificationPolicy)
  /// Another `configure` or `reset` is under way.
  case busy
  /// The device cannot do what the policy asks.
  case device(DeviceAuthenticationError)
  /// The store refused.
  case store(WalletStoreError)

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .notInitialized: "the wallet is not initialized: call configure first"
    case .alreadyConfigured(let policy): "the wallet is configured for \(policy.rawValue): reset it first"
    case .busy: "the wallet is being configured or reset: try again when that is done"
    case .device(let error): "\(error)"
    case .store(let error): "\(error)"
    }
  }
}

/// Digital cards on one device under one cardholder verification policy.
public actor Wallet {
  let store: any WalletStore
  private let device: DevicePorts
  private let clock: any MonotonicClock
  private let random: any RandomSource
  let replenishment: (any ReplenishmentService)?
  /// The cards for which an issuer is being asked.
  var replenishing: Set<String> = []
  private var verifier: CardholderVerifier?
  // An actor lets others in while it awaits the device.
  private var isChanging = false

  /// Creates a wallet that is not initialized.
  ///
  /// - Parameter replenishment: The way to the issuers of its cards, for `replenish`.
  public init(
    store: any WalletStore, device: DevicePorts, clock: any MonotonicClock = SystemClock(),
    random: any RandomSource = SystemRandomSource(), replenishment: (any ReplenishmentService)? = nil
  ) {
    self.store = store
    self.device = device
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

  /// All cards.
  public func cards() throws(WalletError) -> [DigitalCard] {
    _ = try configured()
    return try stored { (store) throws(WalletStoreError) in try store.cards() }
  }

  /// Adds a card with the keys that its issuer provisioned.
  public func add(_ id: String, _ image: CardImage, keys: [LimitedUseKey]) throws(WalletError) {
    _ = try configured()
    try stored { (store) throws(WalletStoreError) in try store.add(id, image, keys: keys) }
  }

  /// Adds a card with batches of keys that its issuer provisioned.
  ///
  /// - Parameters:
  ///   - keys: A batch per application of the image, in its order.
  ///   - threshold: The card needs replenishment when so many payments are left, or fewer: 0...65535.
  public func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys],
    threshold: Int = DigitalCard.standardReplenishmentThreshold
  ) throws(WalletError) {
    _ = try configured()
    try stored { (store) throws(WalletStoreError) in try store.add(id, image, keys: keys, threshold: threshold) }
  }

  /// Changes whether a card may pay.
  public func setState(_ state: DigitalCard.State, of id: String) throws(WalletError) {
    _ = try configured()
    try stored { (store) throws(WalletStoreError) in try store.setState(state, of: id) }
  }

  /// Makes a card the default.
  public func setDefault(_ id: String) throws(WalletError) {
    _ = try configured()
    try stored { (store) throws(WalletStoreError) in try store.setDefault(id) }
  }

  /// Begins a payment session.
  public func makePaymentSession(limits: SessionLimits = .standard) throws(WalletError) -> ContactlessPaymentSession {
    let verifier = try configured()
    return ContactlessPaymentSession(
      wallet: self, store: store, verifier: verifier, clock: clock, nonce: random.octets(16), limits: limits)
  }

  /// Removes all local data: cards, keys and the device's key. Every further call says "not initialized" until
  /// `configure`.
  public func reset() async throws(WalletError) {
    guard !isChanging else { throw .busy }
    isChanging = true
    defer { isChanging = false }
    let former = verifier
    verifier = nil
    try stored { (store) throws(WalletStoreError) in try store.wipe() }
    do throws(DeviceAuthenticationError) {
      try await former?.deleteKey()
    } catch { throw .device(error) }
  }

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

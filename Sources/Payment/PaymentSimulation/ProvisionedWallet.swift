public import ContactlessPayment
public import DeviceAuthentication
public import EMVCard
public import EMVIssuer
public import Octets

/// A wallet that is set up, with keys from the test issuer.
public struct ProvisionedWallet: Sendable {
  /// The wallet.
  public let wallet: Wallet

  /// Creates a wallet in memory with one card.
  ///
  /// - Parameters:
  ///   - image: The card. Its keys are good for the number of payments in its profile, but at least for `leastUses`.
  ///   - policy: How the cardholder must be verified.
  ///   - user: What the cardholder does when asked to verify. `.noBiometrics` has no biometric enrolled either.
  ///   - keys: The keys of the issuer, from which the card's are derived.
  ///   - taskExecutor: The executor that the tasks of payments prefer; nil for the cooperative pool.
  public init(
    card image: CardImage, policy: CardholderVerificationPolicy = .biometricOnly, user: SimulatedUser = .approve,
    leastUses: Int = 0, keys: IssuerKeys = .publicTest, clock: any MonotonicClock = SystemClock(),
    taskExecutor: (any TaskExecutor)? = nil
  ) async throws {
    let device = SimulatedDevice(user: user)
    device.setPasscode("0000")
    device.enrolBiometric()
    wallet = Wallet(store: InMemoryWalletStore(), device: device.ports, clock: clock, taskExecutor: taskExecutor)
    try await wallet.configure(policy)
    let issuer = TestIssuerProvisioning(issuer: TestIssuer(keys: keys), leastUses: leastUses)
    try await wallet.add(image.name, image, keys: issuer.keys(for: image))
    if user == .noBiometrics { device.removeAllBiometrics() }
  }

  /// Opens the wallet of a store, or sets it up on a device.
  ///
  /// - Parameters:
  ///   - device: The device on which the wallet was set up.
  ///   - policy: How the cardholder must be verified; nil for the policy of the store, and `.biometricOnly` for a store
  ///     that was not set up.
  ///   - environment: The check whether a payment is allowed.
  ///   - replenishment: The service that gives new keys; nil for none.
  ///   - rollbackProtection: Whether a wallet that was not set up needs a counter of the device.
  public init(
    store: some WalletStore, device: DevicePorts, policy: CardholderVerificationPolicy? = nil,
    environment: any PaymentEnvironment = OpenEnvironment(), clock: any MonotonicClock = SystemClock(),
    replenishment: (any ReplenishmentService)? = nil, rollbackProtection: Bool = true
  ) async throws {
    wallet = Wallet(
      store: store, device: device, environment: environment, clock: clock, replenishment: replenishment)
    try await wallet.configure(
      policy ?? store.binding()?.policy ?? .biometricOnly, rollbackProtection: rollbackProtection)
  }
}

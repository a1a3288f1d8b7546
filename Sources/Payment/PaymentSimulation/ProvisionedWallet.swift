public import ContactlessPayment
public import DeviceAuthentication
public import EMVCard
public import Octets

/// A wallet on a simulated phone, with keys from the test issuer.
public struct ProvisionedWallet: Sendable {
  /// The wallet.
  public let wallet: Wallet

  /// Creates a wallet in memory with one card.
  ///
  /// - Parameters:
  ///   - image: The card. Its keys are good for the number of payments in its profile, but at least for `leastUses`.
  ///   - policy: How the cardholder must be verified.
  ///   - user: What the cardholder does when asked to verify.
  public init(
    card image: CardImage, policy: CardholderVerificationPolicy = .biometricOnly, user: SimulatedUser = .approve,
    leastUses: Int = 0, clock: any MonotonicClock = SystemClock()
  ) async throws {
    let store = InMemoryWalletStore()
    try store.add(
      image.name, image, keys: TestIssuerProvisioning(leastUses: leastUses).keys(for: image),
      threshold: DigitalCard.standardReplenishmentThreshold)
    try await self.init(store: store, policy: policy, user: user, clock: clock)
  }

  /// Creates a wallet with the cards of a store.
  ///
  /// - Parameters:
  ///   - user: What the cardholder does when asked to verify. `.noBiometrics` has no biometric enrolled either.
  ///   - replenishment: The service that gives new keys; nil for none.
  public init(
    store: some WalletStore, policy: CardholderVerificationPolicy = .biometricOnly, user: SimulatedUser = .approve,
    clock: any MonotonicClock = SystemClock(), replenishment: (any ReplenishmentService)? = nil
  ) async throws {
    let device = SimulatedDevice(user: user)
    device.setPasscode("0000")
    device.enrolBiometric()
    wallet = Wallet(store: store, device: device.ports, clock: clock, replenishment: replenishment)
    try await wallet.configure(policy)
    if user == .noBiometrics { device.removeAllBiometrics() }
  }
}

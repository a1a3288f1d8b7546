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
  ///   - random: The source of nonces and of the card's random numbers.
  ///   - taskExecutor: The executor that the tasks of payments prefer; nil for the cooperative pool.
  public init(
    card image: CardImage, policy: CardholderVerificationPolicy = .biometricOnly, user: SimulatedUser = .approve,
    leastUses: Int = 0, keys: IssuerKeys = .publicTest, clock: any MonotonicClock = SystemClock(),
    random: any RandomSource = SystemRandomSource(), taskExecutor: (any TaskExecutor)? = nil
  ) async throws {
    let device = SimulatedDevice(user: user)
    device.setPasscode("0000")
    device.enrolBiometric()
    wallet = Wallet(
      store: InMemoryWalletStore(), device: device.ports, clock: clock, random: random, taskExecutor: taskExecutor)
    try await wallet.configure(policy)
    let issuer = TestIssuerProvisioning(issuer: TestIssuer(keys: keys), leastUses: leastUses)
    try await wallet.add(image.name, image, keys: issuer.keys(for: image), signingKey: issuer.signingKey(for: image))
    if user == .noBiometrics { device.removeAllBiometrics() }
  }
}

public import ArgumentParser
import ContactlessPayment
public import DeviceAuthentication
import EMVCard
import Octets

/// What the simulated holder does when asked to verify.
enum UserScript: String, ExpressibleByArgument, CaseIterable {
  case approve
  case cancel
  case fail
  case noBiometrics = "no-biometrics"

  var user: SimulatedUser {
    switch self {
    case .approve: .approve
    case .cancel: .cancel
    case .fail: .fail
    case .noBiometrics: .noBiometrics
    }
  }
}

extension CardholderVerificationPolicy: ExpressibleByArgument {}

/// A wallet on a simulated phone, whose cards have their keys from the test issuer.
struct ProvisionedWallet {
  let wallet: Wallet

  /// A wallet in memory with one card. Its keys are good for as many payments as the profile says, but at least
  /// for `leastUses`.
  init(
    card image: CardImage, policy: CardholderVerificationPolicy = .biometricOnly, user: UserScript = .approve,
    leastUses: Int = 0, clock: any MonotonicClock = SystemClock()
  ) async throws {
    let store = InMemoryWalletStore()
    try store.add(
      image.name, image, keys: TestIssuerProvisioning(leastUses: leastUses).keys(for: image),
      threshold: DigitalCard.standardReplenishmentThreshold)
    try await self.init(store: store, policy: policy, user: user, clock: clock)
  }

  /// A wallet with the cards of a store.
  init(
    store: some WalletStore, policy: CardholderVerificationPolicy, user: UserScript,
    clock: any MonotonicClock = SystemClock(), replenishment: (any ReplenishmentService)? = nil
  ) async throws {
    let device = SimulatedDevice(user: user.user)
    device.setPasscode("0000")
    device.enrolBiometric()
    wallet = Wallet(store: store, device: device.ports, clock: clock, replenishment: replenishment)
    try await wallet.configure(policy)
    if user == .noBiometrics { device.removeAllBiometrics() }
  }
}

public import ArgumentParser
import ContactlessPayment
public import DeviceAuthentication
import EMVCard
import EMVIssuer
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
    try store.add(image.name, image, keys: Self.keys(for: image) { max($0, leastUses) })
    try await self.init(store: store, policy: policy, user: user, clock: clock)
  }

  /// A wallet with the cards of a store.
  init(
    store: some WalletStore, policy: CardholderVerificationPolicy, user: UserScript,
    clock: any MonotonicClock = SystemClock()
  ) async throws {
    let device = SimulatedDevice(user: user.user)
    device.setPasscode("0000")
    device.enrolBiometric()
    wallet = Wallet(store: store, device: device.ports, clock: clock)
    try await wallet.configure(policy)
    if user == .noBiometrics { device.removeAllBiometrics() }
  }

  /// Keys from the test issuer.
  ///
  /// - Parameter uses: How many payments a key is good for, from what the profile says.
  static func keys(for image: CardImage, uses: (Int) -> Int) -> [LimitedUseKey] {
    let issuer = TestIssuer()
    return image.applications.map { application in
      let account = IssuerAccount(application)
      return LimitedUseKey(
        masterKey: issuer.cardMasterKey(of: account),
        cvc3Key: account.magStripe.map { _ in issuer.cardCVC3Key(of: account) }, firstCounter: application.firstATC,
        uses: uses(application.uses))
    }
  }
}

extension IssuerAccount {
  /// The issuer's view of an application.
  init(_ application: CardImage.Application) {
    let magStripe = application.track2Data.flatMap { track in
      application.track2Positions.map { MagStripe(track: track, positions: $0) }
    }
    self.init(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
      cryptogramVersion: application.cryptogramVersion, firstCounter: application.firstATC, magStripe: magStripe)
  }
}

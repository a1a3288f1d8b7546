import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Octets
import Testing

/// A wallet is set up once, and later wallets on the same store continue with its policy and key, as in a new process.
@Suite("The set-up of a wallet")
struct WalletSetUpTests {
  let device = SimulatedDevice()
  let store = InMemoryWalletStore()

  init() {
    device.setPasscode("1234")
    device.enrolBiometric()
  }

  /// A new wallet on the same store and device.
  func wallet(on other: SimulatedDevice? = nil) -> Wallet {
    Wallet(store: store, device: (other ?? device).ports, clock: ManualClock())
  }

  /// Sets the wallet up and adds a card.
  func setUp(_ policy: CardholderVerificationPolicy = .biometricOnly) async throws {
    let wallet = wallet()
    try await wallet.configure(policy)
    let image = try await TestWallet().image
    try await wallet.add("card", image, keys: TestWallet.keys(for: image, uses: 3))
  }

  @Test func `one key is created, and a later configure uses it and keeps the cards`() async throws {
    try await setUp()
    let binding = try #require(try store.binding())
    #expect(device.keyCount == 1)
    for _ in 1...3 {
      let wallet = wallet()
      let accesses = device.keyAccessCount
      try await wallet.configure(.biometricOnly)
      #expect(device.keyAccessCount > accesses)
      #expect(try await wallet.cards().count == 1)
    }
    #expect(device.keyCount == 1)
    #expect(try store.binding() == binding)
    #expect(binding.policy == .biometricOnly)
    #expect(!binding.key.enrolmentDigest.isEmpty)
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `another policy is refused and changes nothing`(_ policy: CardholderVerificationPolicy) async throws {
    try await setUp(policy)
    for other in CardholderVerificationPolicy.allCases where other != policy {
      let wallet = wallet()
      await #expect(throws: WalletError.alreadyConfigured(policy)) { try await wallet.configure(other) }
      await #expect(throws: WalletError.notInitialized) { try await wallet.cards() }
    }
    #expect(try store.cards().count == 1)
    try await wallet().configure(policy)
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `a lock that was removed and set again is noticed at configure, and everything is wiped`(
    _ policy: CardholderVerificationPolicy
  ) async throws {
    try await setUp(policy)
    device.disableLockScreen()
    device.setPasscode("1234")
    device.enrolBiometric()
    let wallet = wallet()
    let error = await #expect(throws: WalletError.self) { try await wallet.configure(policy) }
    guard case .authenticationKeyInvalidated(.lockRemoved, .none)? = error else {
      Issue.record("configure threw \(String(describing: error))")
      return
    }
    #expect(try store.cards().isEmpty)
    #expect(try store.binding() == nil)
    #expect(device.keyCount == 0)
    // The wallet can be set up again, also under another policy.
    try await wallet.configure(.userPresence)
    #expect(try await wallet.cards().isEmpty)
  }

  @Test func `a key that the device has no longer is a wipe`() async throws {
    try await setUp()
    device.deleteAllKeys()
    await #expect(throws: WalletError.authenticationKeyInvalidated(.keyGone)) {
      try await wallet().configure(.biometricOnly)
    }
    #expect(try store.cards().isEmpty)
    #expect(try store.binding() == nil)
  }

  @Test func `a store on another device is refused and keeps its cards, and the first device still pays`() async throws
  {
    try await setUp()
    let other = SimulatedDevice()
    other.setPasscode("1234")
    other.enrolBiometric()
    let binding = try store.binding()
    let copied = wallet(on: other)
    let error = await #expect(throws: WalletError.self) { try await copied.configure(.biometricOnly) }
    #expect(error == .device(.unavailable(reason: "another device created this key; use that device")))
    await #expect(throws: WalletError.notInitialized) { _ = try await copied.makePaymentSession() }
    #expect(try store.cards().map(\.paymentsLeft) == [3])
    #expect(try store.binding() == binding)
    try await wallet().configure(.biometricOnly)
  }

  @Test func `a reset without a configure removes the cards and the device's key`() async throws {
    try await setUp()
    try await wallet().reset()
    #expect(try store.cards().isEmpty)
    #expect(try store.binding() == nil)
    #expect(device.keyCount == 0)
  }

  @Test func `a device that does not meet the policy leaves no key and no binding`() async throws {
    device.removeAllBiometrics()
    await #expect(throws: WalletError.self) { try await wallet().configure(.biometricOnly) }
    #expect(device.keyCount == 0)
    #expect(try store.binding() == nil)
  }
}

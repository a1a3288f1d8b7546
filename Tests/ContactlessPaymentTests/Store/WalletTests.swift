import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Octets
import Testing

@Suite("The wallet and the state of its device")
struct WalletTests {
  @Test func `every call before configure is refused, and the policy stays until a reset`() async throws {
    let device = SimulatedDevice()
    device.setPasscode("1234")
    device.enrolBiometric()
    let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports, clock: ManualClock())
    await #expect(throws: WalletError.notInitialized) { try await wallet.cards() }
    await #expect(throws: WalletError.notInitialized) { _ = try await wallet.makePaymentSession() }
    await #expect(throws: WalletError.notInitialized) { try await wallet.setDefault("card") }
    await #expect(throws: WalletError.notInitialized) { _ = try await wallet.eligibility() }
    try await wallet.configure(.biometricOnly)
    try await wallet.configure(.biometricOnly)
    await #expect(throws: WalletError.alreadyConfigured(.biometricOnly)) { try await wallet.configure(.userPresence) }
    try await wallet.reset()
    try await wallet.configure(.userPresence)
    #expect(try await wallet.eligibility() == .supported)
  }

  @Test func `a device that does not meet the policy leaves the wallet uninitialized`() async throws {
    let device = SimulatedDevice()
    let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports, clock: ManualClock())
    await #expect(throws: WalletError.device(.passcodeNotSet)) { try await wallet.configure(.userPresence) }
    await #expect(throws: WalletError.notInitialized) { try await wallet.cards() }
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `a payment after the lock was removed fails and removes all local data`(
    _ policy: CardholderVerificationPolicy
  ) async throws {
    let test = try await TestWallet(policy: policy)
    test.device.disableLockScreen()
    // The removal alone changes nothing.
    #expect(try await test.wallet.cards().count == 1)
    let (_, log) = try await test.armedSession()
    #expect(log.names.last == "errorEncountered(authenticationKeyInvalidated)")
    #expect(test.device.promptCount(.biometric) + test.device.promptCount(.passcode) == 0)
    await #expect(throws: WalletError.notInitialized) { try await test.wallet.cards() }
    await #expect(throws: WalletError.notInitialized) { _ = try await test.wallet.makePaymentSession() }
    #expect(try test.store.cards().isEmpty)
    test.device.setPasscode("5678")
    test.device.enrolBiometric()
    try await test.wallet.configure(policy)
    #expect(try await test.wallet.cards().isEmpty)
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `the key stays invalid when the lock is removed and set again`(_ policy: CardholderVerificationPolicy)
    async throws
  {
    let test = try await TestWallet(policy: policy)
    test.device.disableLockScreen()
    test.device.setPasscode("1234")
    test.device.enrolBiometric()
    let (_, log) = try await test.armedSession()
    #expect(log.names.last == "errorEncountered(authenticationKeyInvalidated)")
    #expect(try test.store.cards().isEmpty)
  }

  @Test func `a payment without biometrics fails and keeps the cards, and pays again once they are enrolled`()
    async throws
  {
    let test = try await TestWallet(policy: .biometricOnly)
    test.device.removeAllBiometrics()
    let (_, log) = try await test.armedSession()
    #expect(log.names.last == "errorEncountered(biometricNotEnrolled)")
    #expect(try await test.wallet.cards().count == 1)
    #expect(try await test.paymentsLeft() == 5)
    test.device.enrolBiometric()
    let (session, second) = try await test.armedSession()
    #expect(second.names.last == "authenticationCompleted")
    await session.cancel()
  }

  @Test
  func `a reset whose store fails leaves cards that never pay, and configure reports them until they are removed`()
    async throws
  {
    let store = FaultyStore(.cannotBeWiped)
    let test = try await TestWallet(store: store)
    await #expect(throws: WalletError.store(.full("the wallet"))) { try await test.wallet.reset() }
    #expect(try store.cards().count == 1)
    await #expect(throws: WalletError.notInitialized) { _ = try await test.wallet.makePaymentSession() }
    for _ in 0..<2 {
      await #expect(throws: WalletError.authenticationKeyInvalidated(.keyGone, wipeFailure: .full("the wallet"))) {
        try await test.wallet.configure(.biometricOnly)
      }
    }
    #expect(test.device.keyCount == 0)
  }

  @Test func `cards that could not be wiped under an invalid key never pay`() async throws {
    let test = try await TestWallet(store: FaultyStore(.cannotBeWiped))
    test.device.disableLockScreen()
    test.device.setPasscode("1234")
    test.device.enrolBiometric()
    let (_, log) = try await test.armedSession()
    #expect(log.names.last == "errorEncountered(authenticationKeyInvalidated)")
    await #expect(throws: WalletError.notInitialized) { _ = try await test.wallet.makePaymentSession() }
    await #expect(throws: WalletError.authenticationKeyInvalidated(.keyGone, wipeFailure: .full("the wallet"))) {
      try await test.wallet.configure(.biometricOnly)
    }
  }

  @Test func `a reset that cannot delete the device's key removes the cards and ends the payment in progress`()
    async throws
  {
    let device = SimulatedDevice()
    device.setPasscode("1234")
    device.enrolBiometric()
    let ports = device.ports
    let wallet = Wallet(
      store: InMemoryWalletStore(),
      device: DevicePorts(
        biometric: ports.biometric, passcode: ports.passcode, lock: ports.lock,
        keys: UndeletableKeys(base: ports.keys)),
      clock: ManualClock())
    try await wallet.configure(.biometricOnly)
    let image = try await TestWallet().image
    try await wallet.add("card", image, keys: TestWallet.keys(for: image, uses: 1))
    let session = try await wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.proceed()
    let warnings = try await wallet.reset()
    #expect(warnings == [.keyNotDeleted(.unavailable(reason: "the key store is locked"))])
    #expect(await log.drain().last == "errorEncountered(sessionInvalidated)")
    await #expect(throws: WalletError.notInitialized) { try await wallet.cards() }
  }

  /// The event to which a scripted user leads under each policy: (user, biometricOnly, userPresence).
  static let users: [(SimulatedUser, String, String)] = [
    (.approve, "authenticationCompleted", "authenticationCompleted"),
    (.cancel, "errorEncountered(cancelled)", "errorEncountered(cancelled)"),
    (.fail, "errorEncountered(authenticationFailed)", "errorEncountered(authenticationFailed)"),
  ]

  @Test(arguments: users.indices)
  func `the user's acts decide the verification, and a failed one spends no use`(_ row: Int) async throws {
    let (user, biometricOnly, userPresence) = Self.users[row]
    for (policy, expected) in [
      (CardholderVerificationPolicy.biometricOnly, biometricOnly), (.userPresence, userPresence),
    ] {
      let test = try await TestWallet(policy: policy, user: user)
      let (session, log) = try await test.armedSession()
      #expect(log.names.last == expected)
      await session.cancel()
      #expect(try await test.paymentsLeft() == 5)
    }
  }
}

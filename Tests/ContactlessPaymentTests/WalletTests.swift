import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Octets
import Testing

@Suite("The wallet and the state of its device")
struct WalletTests {
  @Test func `R1: nothing works before configure, and the policy stays until a reset`() async throws {
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

  @Test func `a device that cannot do what the policy asks leaves the wallet uninitialized`() async throws {
    let device = SimulatedDevice()
    let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports, clock: ManualClock())
    await #expect(throws: WalletError.device(.passcodeNotSet)) { try await wallet.configure(.userPresence) }
    await #expect(throws: WalletError.notInitialized) { try await wallet.cards() }
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `R2, R3, R9: with the lock removed the payment fails, all local data are gone, and configure begins anew`(
    _ policy: CardholderVerificationPolicy
  ) async throws {
    let test = try await TestWallet(policy: policy)
    test.device.disableLockScreen()
    // R16: the removal alone changes nothing.
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
  func `R4, R10: the lock off and on again does not repair the key`(_ policy: CardholderVerificationPolicy) async throws
  {
    let test = try await TestWallet(policy: policy)
    test.device.disableLockScreen()
    test.device.setPasscode("1234")
    test.device.enrolBiometric()
    let (_, log) = try await test.armedSession()
    #expect(log.names.last == "errorEncountered(authenticationKeyInvalidated)")
    #expect(try test.store.cards().isEmpty)
  }

  @Test func `R6, R7: removed biometrics fail the payment and keep the cards; enrolled again, the old key pays`()
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

  @Test func `a reset whose store fails changes nothing: the wallet is not left with cards and without their key`()
    async throws
  {
    let test = try await TestWallet(store: FaultyStore(.cannotBeWiped))
    await #expect(throws: WalletError.store(.full("the wallet"))) { try await test.wallet.reset() }
    #expect(try await test.paymentsLeft() == 5)
    await #expect(throws: WalletError.alreadyConfigured(.biometricOnly)) {
      try await test.wallet.configure(.userPresence)
    }
    let (session, log) = try await test.armedSession()
    #expect(log.names.last == "authenticationCompleted")
    await session.cancel()
  }

  @Test func `R3: cards that cannot be wiped when the key was invalidated are never paid with`() async throws {
    let test = try await TestWallet(store: FaultyStore(.cannotBeWiped))
    test.device.disableLockScreen()
    test.device.setPasscode("1234")
    test.device.enrolBiometric()
    for _ in 0..<2 {
      let (_, log) = try await test.armedSession()
      #expect(log.names.last == "errorEncountered(authenticationKeyInvalidated)")
      // The former key stays the wallet's: no new one is made for the old cards.
      try await test.wallet.configure(.biometricOnly)
    }
  }

  @Test func `a reset that cannot delete the device's key has removed the cards, and ends the payment under way`()
    async throws
  {
    let device = SimulatedDevice()
    device.setPasscode("1234")
    device.enrolBiometric()
    let ports = device.ports
    let wallet = Wallet(
      store: InMemoryWalletStore(),
      device: DevicePorts(
        biometric: ports.biometric, passcode: ports.passcode, lock: ports.lock, key: StubbornKey()),
      clock: ManualClock())
    try await wallet.configure(.biometricOnly)
    let image = try await TestWallet().image
    try await wallet.add("card", image, keys: TestWallet.keys(for: image, uses: 1))
    let session = try await wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.proceed()
    await #expect(throws: WalletError.device(.unavailable(reason: "the key store is locked"))) {
      try await wallet.reset()
    }
    #expect(await log.drain().last == "errorEncountered(sessionInvalidated)")
    await #expect(throws: WalletError.notInitialized) { try await wallet.cards() }
  }

  /// What a scripted user leads to under each policy: (user, biometricOnly, userPresence).
  static let users: [(SimulatedUser, String, String)] = [
    (.approve, "authenticationCompleted", "authenticationCompleted"),
    (.cancel, "errorEncountered(cancelled)", "errorEncountered(cancelled)"),
    (.fail, "errorEncountered(authenticationFailed)", "errorEncountered(authenticationFailed)"),
  ]

  @Test(arguments: users.indices)
  func `the user's act decides, and a refused user leaves the keys as they were`(_ row: Int) async throws {
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

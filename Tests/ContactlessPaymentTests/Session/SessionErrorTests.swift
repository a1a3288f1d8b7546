import DeviceAuthentication
import EMVCard
import ISO7816
import Links
import Octets
import Synchronization
import Testing

@testable import ContactlessPayment

@Suite("The errors of a session", .timeLimit(.minutes(10)))
struct SessionErrorTests {
  typealias Failure = ContactlessPaymentSession.Error

  @Test(arguments: Failure.Code.allCases)
  func `every error can be produced and has a name and a sentence that says what to do`(_ code: Failure.Code)
    async throws
  {
    let failure = try await produce(code)
    #expect(failure?.code == code)
    #expect(failure?.name == code.rawValue)
    #expect((failure?.description.count ?? 0) >= 20)
    #expect(failure?.description.contains("Error(") == false)
  }

  @Test func `a session has the 23 errors of the published list, and four of its own`() {
    let own: Set<Failure.Code> = [.furtherUseRefused, .lockedOut, .storeRolledBack, .unavailable]
    #expect(Failure.Code.allCases.filter { !own.contains($0) }.count == 23)
  }

  // Without a default case, an error that is not produced does not compile.
  private func produce(_ code: Failure.Code) async throws -> Failure? {
    switch code {
    case .apduFailure: try await tapped(TestWallet(card: "mastercard-cvn16"), Tap.declined)
    case .authenticationExpired: try await expired()
    case .authenticationFailed: try await verified(TestWallet(user: .fail))
    case .authenticationKeyInvalidated: try await verified(TestWallet()) { $0.device.disableLockScreen() }
    case .biometricNotEnrolled: try await verified(TestWallet()) { $0.device.removeAllBiometrics() }
    case .cancelled: try await verified(TestWallet(user: .cancel))
    case .cardNotActive:
      try await verified(TestWallet()) { try $0.store.setState(.suspended, of: "card") }
    case .cardNotSupported: try await verified(TestWallet(store: FaultyStore(.givesTooManyCounters)))
    case .deviceEnvironmentUnsafe: try await verified(TestWallet(environment: Surroundings(.unsafeDevice("watched"))))
    case .furtherUseRefused: try await tornTwice()
    case .invalidDigitalCardID: try await TestWallet().startFailure("other")
    case .invalidWalletTransactionData:
      try await TestWallet().startFailure(nil, .ephemeral([UInt8](repeating: 0, count: 15)))
    case .keychainError: try await verified(TestWallet()) { $0.keyStoreFails() }
    case .lockedOut:
      try await verified(TestWallet(user: .fail, hardware: .init(sensorLocksAfter: 1)))
    case .maxSessionDurationReached: try await outOfTime()
    case .nfcPermissionNotAccepted:
      try await TestWallet(environment: Surroundings(.notPermitted("not in the group"))).startFailure(nil)
    case .noDefaultCard: try await cardless()
    case .noPaymentKeys: try await TestWallet(uses: 0).startFailure(nil)
    case .posNotSupported: try await tapped(TestWallet(), ["00A4040007A000000004101000"])
    case .schemeNotSupported: try await TestWallet().startFailure(nil, .stored)
    case .sessionInvalidated: try await invalidated()
    case .setDefaultCardFailure: try await notMadeDefault()
    case .storeRolledBack:
      try await verified(TestWallet()) { try await $0.advanceDeviceCounter() }
    case .systemEligibilityFailed:
      try await TestWallet(environment: Surroundings(.systemNotEligible("no chip"))).startFailure(nil)
    case .transmissionError: try await served(by: FailingLink())
    case .unavailable: try await unreadable()
    case .unknown: try await TestWallet(store: FaultyStore(.cannotBeRead)).startFailure(nil)
    }
  }

  private func verified(
    _ test: TestWallet, after change: (TestWallet) async throws -> Void = { _ in }
  ) async throws -> Failure? {
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    try await change(test)
    await log.proceed()
    await session.finished()
    return log.lastFailure
  }

  private func tapped(_ test: TestWallet, _ commands: [String]) async throws -> Failure? {
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(commands, over: loopback)
    _ = await log.drain()
    while test.clock.sleeperCount > 0 {
      test.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    await session.finished()
    return log.lastFailure
  }

  private func expired() async throws -> Failure? {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession(limits: SessionLimits(verificationValidity: .seconds(30)))
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    test.clock.advance(by: .seconds(31))
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    _ = await log.drain()
    return log.lastFailure
  }

  /// The error of an armed card whose device cannot be read for 1 s.
  private func unreadable() async throws -> Failure? {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    test.keyStoreFails()
    // Each tick of the watch reads once.
    while test.wallet.slot.isTaken {
      test.clock.advance(by: .milliseconds(25))
      try await Task.sleep(for: .milliseconds(1))
    }
    _ = await log.drain()
    await session.finished()
    #expect(try test.store.cards().count == 1)
    return log.lastFailure
  }

  private func outOfTime() async throws -> Failure? {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    try await session.startEmulation(on: Loopback(clock: test.clock))
    test.clock.advance(by: .seconds(60))
    _ = await log.drain()
    return log.lastFailure
  }

  private func tornTwice() async throws -> Failure? {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    for _ in 0..<2 { _ = try await Tap.send([Tap.select, Tap.options], over: loopback) }
    _ = await log.drain()
    await session.finished()
    return log.lastFailure
  }

  private func cardless() async throws -> Failure? {
    let test = try await TestWallet()
    try await test.wallet.delete("card")
    return try await test.startFailure(nil)
  }

  private func invalidated() async throws -> Failure? {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    await session.invalidate("the app went to the background")
    _ = await log.drain()
    return log.lastFailure
  }

  private func notMadeDefault() async throws -> Failure? {
    let test = try await TestWallet(store: FaultyStore(.keepsNoDefault))
    try await test.wallet.add("second", test.image, keys: TestWallet.keys(for: test.image, uses: 1))
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment(withDigitalCardID: "second")
    await log.proceed()
    return log.lastFailure
  }

  private func served(by link: some EmulationLink) async throws -> Failure? {
    let (session, log) = try await TestWallet().armedSession()
    try await session.startEmulation(on: link)
    _ = await log.drain()
    await session.finished()
    return log.lastFailure
  }

  @Test func `an obstacle that appears during the verification ends the session before the card is armed`()
    async throws
  {
    let surroundings = Surroundings(nil)
    let test = try await TestWallet(environment: surroundings)
    let failure = try await verified(test) { _ in surroundings.change(to: .unsafeDevice("watched")) }
    #expect(failure?.code == .deviceEnvironmentUnsafe)
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `a tap that selects a loyalty scheme, or at least one application of the card, is an interruption`()
    async throws
  {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(["00A404000A4F53452E5641532E303100"], over: loopback)
    await log.next()
    #expect(await log.next() == "posDisconnected")
    // One application that the card has is enough.
    _ = try await Tap.send(["00A4040007A000000004101000", Tap.select], over: loopback)
    await log.next()
    #expect(await log.next() == "posDisconnected")
    await session.cancel()
    await session.finished()
  }
}

import DeviceAuthentication
import EMVCard
import ISO7816
import Links
import Octets
import Testing

@testable import ContactlessPayment

@Suite("The life of a session", .timeLimit(.minutes(10)))
struct SessionLifeTests {
  @Test func `a session that was verified and never presented ends at its deadline and gives its use back`()
    async throws
  {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession(limits: SessionLimits(verificationValidity: .seconds(30)))
    // The timers of the deadline and of the watch.
    while test.clock.sleeperCount < 2 { await Task.yield() }
    test.clock.advance(by: .milliseconds(29_999))
    #expect(try await test.paymentsLeft() == 4)
    #expect(test.wallet.slot.isTaken)
    test.clock.advance(by: .milliseconds(1))
    #expect(await log.drain().last == "errorEncountered(authenticationExpired)")
    #expect(log.spent.isEmpty)
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
    #expect(!test.wallet.slot.isTaken)
    await #expect(throws: EmulationRefusal.sessionEnded) { try await session.startEmulation(on: FailingLink()) }
  }

  @Test func `a session that is presented before its deadline does not end at it`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession(limits: SessionLimits(verificationValidity: .seconds(30)))
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    // The timers of the emulation and of the watch.
    #expect(test.clock.sleeperCount == 2)
    test.clock.advance(by: .seconds(30))
    _ = try await Tap.send(Tap.whole, over: loopback)
    #expect(await log.drain().last == "transactionCompleted")
    await session.finished()
  }

  @Test func `the card measures its deadline by the session's clock, whatever instants the link gives`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession(limits: SessionLimits(verificationValidity: .seconds(30)))
    // The link stamps every command with the instant 0.
    let link = GatedLink([Tap.select], [Tap.options])
    try await session.startEmulation(on: link)
    await link.send(0)
    test.clock.advance(by: .milliseconds(30_001))
    await link.send(1)
    #expect(link.responses.map { String($0.suffix(4)) } == ["9000", "6986"])
    #expect(await log.drain().last == "errorEncountered(authenticationExpired)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `the wallet is free for another payment only when the link of the last one has ended`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let link = GatedLink(Tap.whole, [Tap.select, Tap.options])
    try await session.startEmulation(on: link)
    await link.send(0)
    #expect(await log.drain().last == "transactionCompleted")
    await #expect(throws: WalletError.sessionInProgress) { _ = try await test.wallet.makePaymentSession() }
    await link.send(1)
    #expect(link.responses.last == "6986")
    await session.finished()
    _ = try await test.wallet.makePaymentSession()
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test func `cancelling the task that waits for the verification closes the prompt and ends the session`() async throws
  {
    let test = try await TestWallet(user: .neverAnswers)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    guard case .authenticationRequired(let action)? = log.last else { return }
    let proceeding = Task { await action.proceed() }
    while test.device.openPrompt == nil { await Task.yield() }
    proceeding.cancel()
    await proceeding.value
    #expect(test.device.openPrompt == nil)
    #expect(await log.drain() == ["authenticationRequired", "errorEncountered(cancelled)"])
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  enum Release: CaseIterable { case created, started, armed }

  /// Creates a session, brings it to a state, and returns what is left of it when it is released.
  private func released(
    _ state: Release, of test: TestWallet, readsEvents: Bool
  ) async throws -> (log: EventLog?, session: () -> ContactlessPaymentSession?) {
    let session = try await test.wallet.makePaymentSession()
    let log = readsEvents || state == .armed ? EventLog(session) : nil
    if state != .created { await session.startPayment() }
    if state == .armed { await log?.proceed() }
    return (readsEvents ? log : nil, { [weak session] in session })
  }

  @Test(arguments: Release.allCases)
  func `a session that is released ends its events, and frees the wallet and its use`(_ state: Release) async throws {
    let test = try await TestWallet()
    let rest = try await released(state, of: test, readsEvents: true)
    let names = await rest.log?.drain()
    #expect(names?.last == "errorEncountered(sessionInvalidated)")
    #expect(names?.count { $0.hasPrefix("errorEncountered") } == 1)
    while rest.session() != nil { await Task.yield() }
    #expect(!test.wallet.slot.isTaken)
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test(arguments: Release.allCases)
  func `a session whose events are never read is released too`(_ state: Release) async throws {
    let test = try await TestWallet()
    let rest = try await released(state, of: test, readsEvents: false)
    while rest.session() != nil { await Task.yield() }
    #expect(!test.wallet.slot.isTaken)
    #expect(try await test.paymentsLeft() == 5)
  }
}

import ContactlessPayment
import DeviceAuthentication
import EMVData
import ISO7816
import Links
import Octets
import Testing

@Suite("A session and the clock")
struct SessionTimeTests {
  @Test func `the session ends 60 s after emulation began, not at 59.9 s`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(responseTimeout: .seconds(600), clock: test.clock)
    try await session.startEmulation(on: loopback)
    test.clock.advance(by: .milliseconds(59_900))
    _ = try await Tap.send([Tap.select], over: loopback)
    await log.next()
    #expect(await log.next() == "posDisconnected")
    test.clock.advance(by: .milliseconds(100))
    #expect(await log.drain().last == "errorEncountered(maxSessionDurationReached)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test(arguments: [
    (30_000, "9000", "transactionCompleted"), (30_001, "6986", "errorEncountered(authenticationExpired)"),
  ])
  func `the deadline is checked at GET PROCESSING OPTIONS`(_ milliseconds: Int, _ status: String, _ event: String)
    async throws
  {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession(limits: SessionLimits(verificationValidity: .seconds(30)))
    let loopback = Loopback(responseTimeout: .seconds(600), clock: test.clock)
    try await session.startEmulation(on: loopback)
    test.clock.advance(by: .milliseconds(milliseconds))
    let answers = try await Tap.send(status == "9000" ? Tap.whole : [Tap.select, Tap.options], over: loopback)
    #expect(answers[1].hasSuffix(status))
    #expect(await log.drain().last == event)
    await session.finished()
    #expect(try await test.paymentsLeft() == (status == "9000" ? 4 : 5))
  }

  /// Starts a session on its link before its cardholder is verified.
  private func holding(
    _ user: SimulatedUser
  ) async throws -> (TestWallet, ContactlessPaymentSession, EventLog, Loopback, Task<Void, Never>) {
    let test = try await TestWallet(user: user)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    let loopback = Loopback(responseTimeout: .seconds(600), clock: test.clock)
    try await session.startEmulation(on: loopback, holdingCommands: true)
    guard case .authenticationRequired(let action)? = log.last else { throw CancellationError() }
    return (test, session, log, loopback, Task { await action.proceed() })
  }

  @Test func `the first command waits for the verification, and then the tap pays`()
    async throws
  {
    let test = try await TestWallet()
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    let loopback = Loopback(responseTimeout: .seconds(600), clock: test.clock)
    try await session.startEmulation(on: loopback, holdingCommands: true)
    async let answers = Tap.send(Tap.whole, over: loopback)
    // The timers of the emulation and of the held command.
    while test.clock.sleeperCount < 2 { try? await Task.sleep(for: .milliseconds(1)) }
    test.clock.advance(by: .milliseconds(4999))
    guard case .authenticationRequired(let action)? = log.last else { return }
    await action.proceed()
    #expect(try await answers.allSatisfy { $0.hasSuffix("9000") })
    #expect(
      await log.drain() == [
        "authenticationRequired", "authenticationCompleted", "posConnected", "transactionCompleted",
      ])
    await session.finished()
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test func `a held command is refused after 5000 ms, and a later tap waits again`()
    async throws
  {
    let (test, session, log, loopback, proceeding) = try await holding(.neverAnswers)
    for _ in 0..<2 {
      async let answers = Tap.send([Tap.select, Tap.options], over: loopback)
      // The timers of the emulation, of the prompt and of the held command.
      while test.clock.sleeperCount < 3 { try? await Task.sleep(for: .milliseconds(1)) }
      test.clock.advance(by: .milliseconds(5000))
      #expect(try await answers.map { String($0.suffix(4)) } == ["9000", "6986"])
    }
    await session.cancel()
    await proceeding.value
    #expect(await log.drain() == ["authenticationRequired", "errorEncountered(cancelled)"])
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `a held command is released at once when the session is cancelled, and the card leaves the link`()
    async throws
  {
    let (test, session, log, loopback, proceeding) = try await holding(.neverAnswers)
    let terminal = Task { try await Tap.send([Tap.select, Tap.options], over: loopback) }
    while test.clock.sleeperCount < 3 { try? await Task.sleep(for: .milliseconds(1)) }
    await session.cancel()
    await proceeding.value
    let answers = (try? await terminal.value) ?? []
    #expect(!answers.contains { $0.count > 400 || $0.contains("9F26") })
    #expect(await log.drain().last == "errorEncountered(cancelled)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `a failed verification takes the card with held commands off the link`() async throws {
    let (test, session, log, _, proceeding) = try await holding(.fail)
    await proceeding.value
    #expect(await log.drain().last == "errorEncountered(authenticationFailed)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }
}

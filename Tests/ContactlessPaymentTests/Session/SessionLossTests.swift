import ContactlessPayment
import DeviceAuthentication
import EMVData
import ISO7816
import Links
import Octets
import Testing

@Suite("A session whose terminal leaves before the payment is complete", .timeLimit(.minutes(20)))
struct SessionLossTests {
  @Test func `a loss before the cryptogram keeps the session and its use, and a second tap pays`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send([Tap.select], over: loopback)
    await log.next()
    #expect(await log.next() == "posDisconnected")
    _ = try await Tap.send(Tap.whole, over: loopback)
    #expect(await log.drain().suffix(2) == ["posConnected", "transactionCompleted"])
    await session.finished()
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test func `a loss after the cryptogram spends the use, and the second tap pays with another counter`()
    async throws
  {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let first = try await Tap.send([Tap.select, Tap.options], over: loopback)
    await log.next()
    #expect(await log.next() == "posDisconnected")
    let second = try await Tap.send(Tap.whole, over: loopback)
    #expect(first[1].contains("9F36020001"))
    #expect(second[1].contains("9F36020002"))
    #expect(await log.drain().last == "transactionCompleted")
    await session.finished()
    #expect(try await test.paymentsLeft() == 3)
  }

  @Test func `a loss after the cryptogram of the last use ends the session with noPaymentKeys`() async throws {
    let test = try await TestWallet(uses: 1)
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    #expect(await log.drain().last == "errorEncountered(noPaymentKeys)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 0)
  }

  @Test func `interruptions before a cryptogram are counted and not limited without a retry limit`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    for count in 1...12 {
      _ = try await Tap.send([Tap.select], over: loopback)
      await log.next()
      await log.next()
      guard case .posDisconnected(let interruptions)? = log.last else { break }
      #expect(interruptions == count)
    }
    #expect(log.names.count == 26)
    await session.cancel()
    await session.finished()
  }

  @Test(arguments: [0, 1, 3, 10])
  func `interruptions up to the retry limit are allowed and the next one is an error`(_ limit: Int) async throws {
    let test = try await TestWallet()
    let retries = try RetryPolicy(limit: limit)
    let (session, log) = try await test.armedSession(limits: SessionLimits(retries: retries))
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    for _ in 0...limit {
      _ = try await Tap.send([Tap.select], over: loopback)
      await log.next()
      await log.next()
    }
    #expect(log.names.count { $0 == "posDisconnected" } == limit)
    #expect(log.lastFailure == .transmissionError(LinkError(.terminalLost, "")))
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `an interruption above the limit after a cryptogram spends its use and reserves no other`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession(limits: SessionLimits(retries: RetryPolicy(limit: 0)))
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    #expect(await log.drain().last == "errorEncountered(transmissionError)")
    #expect(log.spent.map(\.transactionCounter) == [1])
    await session.finished()
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test func `retry limits and time-outs are checked against their ranges`() throws {
    #expect(try RetryPolicy(limit: 0).timeout == .milliseconds(2000))
    for limit in [0, 10] { #expect(try RetryPolicy(limit: limit).limit == limit) }
    for limit in [-1, 11] { #expect(throws: RetryPolicyError.invalidLimit(limit)) { try RetryPolicy(limit: limit) } }
    for timeout in [500, 10_000] { _ = try RetryPolicy(limit: 1, timeout: .milliseconds(timeout)) }
    for timeout in [499, 10_001] {
      #expect(throws: RetryPolicyError.invalidTimeout(.milliseconds(timeout))) {
        try RetryPolicy(limit: 1, timeout: .milliseconds(timeout))
      }
    }
    #expect(SessionLimits.standard.retries == nil)
    #expect(RetryPolicyError.invalidTimeout(.milliseconds(499)).description.contains("0.499 seconds: the range is 0.5"))
  }

  @Test func `a card on its link after a cancelled payment does not receive its keys`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let link = LateTerminalLink()
    try await session.startEmulation(on: link)
    await session.cancel()
    await session.finished()
    #expect(link.statuses == ["9000", "6986"])
    #expect(await log.drain().last == "errorEncountered(cancelled)")
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test
  func `a terminal that stays away longer than the time-out ends the session`()
    async throws
  {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession(limits: SessionLimits(retries: RetryPolicy(limit: 3)))
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    for interruption in 1...2 {
      _ = try await Tap.send([Tap.select], over: loopback)
      await log.next()
      await log.next()
      // The timers of the emulation, of the watch, of this interruption and of the former one.
      while test.clock.sleeperCount < 2 + interruption { try? await Task.sleep(for: .milliseconds(1)) }
      test.clock.advance(by: .milliseconds(1000))
    }
    test.clock.advance(by: .milliseconds(1000))
    #expect(await log.drain().last == "errorEncountered(transmissionError)")
    #expect(log.lastFailure == .transmissionError(LinkError(.timedOut, "")))
    await session.finished()
  }
}

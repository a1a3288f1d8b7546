import ContactlessPayment
import DeviceAuthentication
import Dispatch
import Links
import Octets
import Testing

@Suite("Taps that come faster than the session handles them")
struct TornTapTests {
  @Test(.timeLimit(.minutes(20)))
  func `a terminal that returns before a further use is reserved waits for it`() async throws {
    let store = BlockingStore()
    store.block(.settle)
    let test = try await TestWallet(store: store)
    let (session, log) = try await test.armedSession(limits: SessionLimits(retries: RetryPolicy(limit: 2)))
    let loopback = Loopback(responseTimeout: .seconds(100), clock: test.clock)
    try await session.startEmulation(on: loopback)
    let first = try await Tap.send([Tap.select, Tap.options], over: loopback)
    await DedicatedThread(named: "settle") { store.reached.wait() }.value()
    // The session is still handling the first tap.
    let second = Task { try await Tap.send([Tap.select, Tap.options], over: loopback) }
    try await Task.sleep(for: .milliseconds(100))
    store.open()
    #expect(try await second.value[1].contains("9F36020002"))
    var disconnections = 0
    while disconnections < 2 { if await log.next() == "posDisconnected" { disconnections += 1 } }
    let paid = try await Tap.send(Tap.whole, over: loopback)
    #expect(first[1].contains("9F36020001"))
    #expect(paid[1].contains("9F36020003"))
    #expect(await log.drain().last == "transactionCompleted")
    await session.finished()
    #expect(store.givenCounters == [1, 2, 3])
    #expect(try store.cards()[0].paymentsLeft == 2)
  }

  @Test func `a card suspended during the verification is not armed`() async throws {
    let test = try await TestWallet()
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    try await test.wallet.setState(.suspended, of: "card")
    await log.proceed()
    #expect(log.names.last == "errorEncountered(cardNotActive)")
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `an armed session that is released releases its use`() async throws {
    let test = try await TestWallet()
    do {
      let (session, _) = try await test.armedSession()
      #expect(try await test.paymentsLeft() == 4)
      _ = session
    }
    while try await test.paymentsLeft() != 5 { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `two calls of configure do not overlap`() async throws {
    let test = try await TestWallet()
    try await test.wallet.reset()
    async let first: Void = test.wallet.configure(.biometricOnly)
    async let second: Void = test.wallet.configure(.userPresence)
    let results = [try? await first, try? await second]
    #expect(results.compactMap(\.self).count == 1)
  }
}

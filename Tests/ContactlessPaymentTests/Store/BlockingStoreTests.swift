import ContactlessPayment
import Dispatch
import Foundation
import Links
import Testing

@Suite("Stores that block", .timeLimit(.minutes(60)))
struct BlockingStoreTests {
  @Test func `busy stores, one for each thread of the cooperative pool, do not delay a cancellation`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    var stores: [BlockingStore] = []
    var starts: [Task<Void, Never>] = []
    for _ in 0..<max(2, ProcessInfo.processInfo.activeProcessorCount) {
      let store = BlockingStore()
      let busy = try await TestWallet(store: store).wallet.makePaymentSession()
      store.block(.cards)
      stores.append(store)
      starts.append(Task { await busy.startPayment() })
    }
    // On a thread of its own, since the pool could be the one that is blocked.
    let blocked = stores
    let wasDelayed = DedicatedThread(named: "observer") {
      for store in blocked { store.reached.wait() }
      let cancelled = DispatchSemaphore(value: 0)
      Task {
        await session.cancel()
        cancelled.signal()
      }
      let isLate = cancelled.wait(timeout: .now() + 60) == .timedOut
      for store in blocked { store.open() }
      return isLate
    }
    #expect(await !wasDelayed.value())
    #expect(await log.drain().last == "errorEncountered(cancelled)")
    for start in starts { await start.value }
  }

  @Test func `a session is cancelled while its own store blocks, and a use that is reserved later is given back`()
    async throws
  {
    let store = BlockingStore()
    let test = try await TestWallet(store: store)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    store.block(.reserve)
    guard case .authenticationRequired(let action)? = log.last else { return }
    let proceeding = Task { await action.proceed() }
    await DedicatedThread(named: "reserve") { store.reached.wait() }.value()
    await session.cancel()
    #expect(await log.drain().last == "errorEncountered(cancelled)")
    store.open()
    await proceeding.value
    await session.finished()
    #expect(try store.base.cards()[0].paymentsLeft == 5)
  }

  @Test func `a reset while uses are being reserved ends the session, whose card gets no keys`() async throws {
    let store = BlockingStore()
    let test = try await TestWallet(store: store)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    let link = GatedLink([], [Tap.select, Tap.options])
    try await session.startEmulation(on: link, holdingCommands: true)
    store.block(.reserve)
    guard case .authenticationRequired(let action)? = log.last else { return }
    let proceeding = Task { await action.proceed() }
    await DedicatedThread(named: "reserve") { store.reached.wait() }.value()
    async let reset = test.wallet.reset()
    store.open()
    #expect(try await reset == [])
    await link.send(0)
    await link.send(1)
    #expect(link.responses.map { String($0.suffix(4)) } == ["9000", "6986"])
    await proceeding.value
    #expect(await log.drain().last == "errorEncountered(sessionInvalidated)")
    await session.finished()
    #expect(try store.base.cards().isEmpty)
  }

  @Test func `the event of a payment does not wait for a store that blocks, but its end does`() async throws {
    let store = BlockingStore()
    let test = try await TestWallet(store: store)
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    store.block(.settle)
    _ = try await Tap.send(Tap.whole, over: loopback)
    #expect(await log.drain().last == "transactionCompleted")
    await DedicatedThread(named: "settle") { store.reached.wait() }.value()
    store.open()
    await session.finished()
    #expect(try store.base.cards()[0].paymentsLeft == 4)
  }

  @Test func `a session that is cancelled while its card is chosen shows no prompt`() async throws {
    let store = BlockingStore()
    let test = try await TestWallet(store: store)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    store.block(.cards)
    let starting = Task { await session.startPayment() }
    await DedicatedThread(named: "cards") { store.reached.wait() }.value()
    await session.cancel()
    store.open()
    await starting.value
    #expect(await log.drain() == ["errorEncountered(cancelled)"])
    await session.finished()
    _ = try await test.wallet.makePaymentSession()
  }
}

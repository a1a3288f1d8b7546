import DeviceAuthentication
import Fixtures
import EMVCard
import EMVData
import Links
import Octets
import Testing

@testable import ContactlessPayment

@Suite("The revocation of a payment in progress", .timeLimit(.minutes(60)))
struct RevocationTests {
  enum Cause: CaseIterable {
    case cancel, invalidate, reset, timeLimit, suspend, retire, delete, deactivate

    var code: ContactlessPaymentSession.Error.Code {
      switch self {
      case .cancel: .cancelled
      case .invalidate, .reset, .delete: .sessionInvalidated
      case .timeLimit: .maxSessionDurationReached
      case .suspend, .retire, .deactivate: .cardNotActive
      }
    }
  }

  private func revoke(_ session: ContactlessPaymentSession, of test: TestWallet, by cause: Cause) async throws {
    switch cause {
    case .cancel: await session.cancel()
    case .invalidate: await session.invalidate("the app went to the background")
    case .reset: try await test.wallet.reset()
    case .timeLimit: test.clock.advance(by: .seconds(60))
    case .suspend: try await test.wallet.suspend("card")
    case .retire: try await test.wallet.retire("card")
    case .delete: try await test.wallet.delete("card")
    case .deactivate: try await test.wallet.setState(.inactive, of: "card")
    }
  }

  @Test(arguments: Cause.allCases)
  func `the next command of a card on its link finds no key, and the wallet is free when the link has ended`(
    _ cause: Cause
  ) async throws {
    let test = try await TestWallet()
    let limits = SessionLimits(verificationValidity: .seconds(600))
    let (session, log) = try await test.armedSession(limits: limits)
    let link = GatedLink([Tap.select], [Tap.options])
    try await session.startEmulation(on: link)
    await link.send(0)
    #expect(await log.next() == "posConnected")
    try await revoke(session, of: test, by: cause)
    // No wait in between: the card is disarmed when the call returns.
    #expect(test.wallet.slot.isTaken)
    await link.send(1)
    #expect(link.responses.map { String($0.suffix(4)) } == ["9000", "6986"])
    _ = await log.drain()
    #expect(log.lastFailure?.code == cause.code)
    #expect(log.spent.isEmpty)
    await session.finished()
    #expect(!test.wallet.slot.isTaken)
    if ![.reset, .delete].contains(cause) { #expect(try await test.paymentsLeft() == 5) }
  }

  @Test(arguments: Cause.allCases)
  func `a use that was spent before is named by the last event, and stays spent`(_ cause: Cause) async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let link = GatedLink([Tap.select, Tap.options], Tap.records)
    try await session.startEmulation(on: link)
    await link.send(0)
    try await revoke(session, of: test, by: cause)
    await link.send(1)
    _ = await log.drain()
    await session.finished()
    #expect(log.lastFailure?.code == cause.code)
    let use = try #require(log.spent.first)
    #expect(log.spent.count == 1)
    #expect(use.transactionCounter == 1)
    #expect(use.digitalCardID == "card")
    #expect("\(use.aid)" == "A0000000031010")
    #expect(use.amount?.description == "50.65")
    if ![.reset, .delete].contains(cause) { #expect(try await test.paymentsLeft() == 4) }
  }

  /// The clock of a session whose timers never run, as when other tasks keep them waiting.
  private struct LateClock: MonotonicClock {
    let base: ManualClock

    var now: Instant { base.now }
    func sleep(until instant: Instant) async throws { try await base.sleep(until: instant) }
    func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall {
      base.call(at: instant + .seconds(86_400), function)
    }
  }

  @Test(arguments: [[], [Tap.options], Tap.records, ["cancel"]])
  func `at its time limit a session ends with the limit, also when its timer is late`(_ second: [String]) async throws {
    let test = try await TestWallet()
    let wallet = Wallet(
      store: test.store, device: test.device.ports, clock: LateClock(base: test.clock),
      random: SeededRandomSource(seed: 1))
    try await wallet.configure(.biometricOnly)
    let session = try await wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.proceed()
    let isPaying = second == Tap.records
    let link = GatedLink(isPaying ? [Tap.select, Tap.options] : [Tap.select], second == ["cancel"] ? [] : second)
    try await session.startEmulation(on: link)
    await link.send(0)
    test.clock.advance(by: .seconds(60))
    if second == ["cancel"] { await session.cancel() }
    await link.send(1)
    #expect(await log.drain().last == "errorEncountered(maxSessionDurationReached)")
    #expect(log.spent.map(\.transactionCounter) == (isPaying ? [1] : []))
    await session.finished()
  }

  @Test func `the last event waits for the command that the card is answering, and names its cryptogram`() async throws
  {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let link = GatedLink([Tap.select], [])
    try await session.startEmulation(on: link)
    await link.send(0)
    // As the card's thread does at each command.
    #expect(session.exchange.beginCommand() != .revoked)
    await session.cancel()
    #expect(!session.exchange.endCommand(givingCryptogram: true))
    session.exchange.send(.stopped(try TestArming.record(of: test.image)))
    #expect(await log.drain().last == "errorEncountered(cancelled)")
    #expect(log.spent.map(\.transactionCounter) == [1])
    await link.send(1)
    await session.finished()
  }

  @Test func `a payment that the terminal declines names the use that its cryptogram has spent`() async throws {
    let test = try await TestWallet(card: "mastercard-cvn16")
    let (session, log) = try await test.armedSession()
    let link = GatedLink(Tap.declined, [])
    try await session.startEmulation(on: link)
    await link.send(0)
    #expect(await log.drain().last == "errorEncountered(apduFailure)")
    #expect(log.spent.map(\.transactionCounter) == [1])
    #expect(log.spent.first?.kind == .applicationCryptogram(.aac))
    await link.send(1)
    await session.finished()
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test func `a completed payment names the uses of the interrupted ones before it`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    _ = try await Tap.send(Tap.whole, over: loopback)
    #expect(await log.drain().last == "transactionCompleted")
    #expect(log.context?.transactionCounter == 2)
    #expect(log.context?.interruptedPayments.map(\.transactionCounter) == [1])
    #expect(log.context?.interruptedPayments.first?.interruptedPayments.isEmpty == true)
    await session.finished()
  }

  @Test func `a change of another card does not revoke the payment`() async throws {
    let test = try await TestWallet()
    try await test.wallet.add("other", test.image, keys: TestWallet.keys(for: test.image, uses: 2))
    let (session, log) = try await test.armedSession()
    try await test.wallet.suspend("other")
    try await test.wallet.delete("other")
    try await test.wallet.setState(.active, of: "card")
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(Tap.whole, over: loopback)
    #expect(await log.drain().last == "transactionCompleted")
    await session.finished()
  }

  @Test func `a revocation separates the commands before it from those after it`() {
    let exchange = CardExchange()
    #expect(exchange.beginCommand() == .permitted)
    #expect(exchange.endCommand(givingCryptogram: false))
    #expect(exchange.beginCommand() == .permitted)
    #expect(exchange.revoke())
    #expect(!exchange.endCommand(givingCryptogram: false))
    #expect(!exchange.revoke())
    for _ in 0..<2 { #expect(exchange.beginCommand() == .revoked) }
    #expect(!exchange.revoke())
  }

  @Test(arguments: [true, false])
  func `a revocation reports a cryptogram until it is settled or the card is armed again`(
    _ isArmedAgain: Bool
  ) throws {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    func exchangeWithCryptogram() -> CardExchange {
      let exchange = CardExchange()
      #expect(exchange.beginCommand() == .permitted)
      #expect(exchange.endCommand(givingCryptogram: true))
      #expect(exchange.beginCommand() == .permitted)
      #expect(exchange.endCommand(givingCryptogram: false))
      return exchange
    }
    let unsettled = exchangeWithCryptogram()
    for _ in 0..<2 { #expect(unsettled.revoke()) }
    let exchange = exchangeWithCryptogram()
    if isArmedAgain {
      exchange.put(TestArming.arming(for: image, counters: [1]))
      if !exchange.dropArming() { Issue.record("the card found no arming") }
    } else {
      exchange.cryptogramSettled()
    }
    #expect(!exchange.revoke())
  }

  @Test func `an arming that comes after the revocation does not reach the card`() throws {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let exchange = CardExchange()
    exchange.put(TestArming.arming(for: image, counters: [1]))
    #expect(!exchange.revoke())
    for _ in 0..<2 {
      if exchange.dropArming() { Issue.record("the card found an arming") }
      exchange.put(TestArming.arming(for: image, counters: [1]))
    }
  }
}

import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import ISO7816
import Links
import Octets
import Testing

@Suite("A payment session")
struct SessionTests {
  @Test func `the events of a payment occur in order, and the stream ends after the last one`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let answers = try await Tap.send(Tap.whole, over: loopback)
    #expect(answers.allSatisfy { $0.hasSuffix("9000") })
    #expect(
      await log.drain() == [
        "authenticationRequired", "authenticationCompleted", "posConnected", "transactionCompleted",
      ])
    await session.finished()
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test func `cancelling the action ends the session with cancelled and shows no prompt`() async throws {
    let test = try await TestWallet()
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    guard case .authenticationRequired(let action)? = log.last else { return }
    await action.cancel()
    await action.proceed()
    #expect(await log.drain() == ["authenticationRequired", "errorEncountered(cancelled)"])
    #expect(test.device.promptCount(.biometric) == 0)
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `emulation before the verification throws and presents nothing`() async throws {
    let test = try await TestWallet()
    let session = try await test.wallet.makePaymentSession()
    let loopback = Loopback(clock: test.clock)
    await #expect(throws: EmulationRefusal.notAuthenticated) { try await session.startEmulation(on: loopback) }
    await session.startPayment()
    await #expect(throws: EmulationRefusal.notAuthenticated) { try await session.startEmulation(on: loopback) }
    #expect(throws: LinkError(.timedOut, "")) { _ = try loopback.connect(timeout: .zero).identity }
    await session.cancel()
    await #expect(throws: EmulationRefusal.sessionEnded) { try await session.startEmulation(on: loopback) }
  }

  @Test func `a second emulation is refused and the first goes on`() async throws {
    let test = try await TestWallet()
    let (session, _) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    await #expect(throws: EmulationRefusal.alreadyEmulating) { try await session.startEmulation(on: loopback) }
    #expect(try await Tap.send(Tap.whole, over: loopback).last?.hasSuffix("9000") == true)
    await session.finished()
  }

  /// The state in which a session is cancelled.
  enum Stage: CaseIterable {
    case idle, required, waiting, authenticating, holding, armed, emulating, connected, completed
  }

  @Test(arguments: Stage.allCases)
  func `cancelling in any state sends one last event, and a second cancel does nothing`(_ stage: Stage)
    async throws
  {
    let test = try await TestWallet(user: [.authenticating, .holding].contains(stage) ? .neverAnswers : .approve)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    let loopback = Loopback(clock: test.clock)
    if stage != .idle {
      await session.startPayment()
      await log.next()
    }
    if [.waiting, .holding].contains(stage) { try await session.startEmulation(on: loopback, holdingCommands: true) }
    if ![.idle, .required, .waiting].contains(stage), case .authenticationRequired(let action)? = log.last {
      let proceeding = Task { await action.proceed() }
      if [.authenticating, .holding].contains(stage) {
        while test.device.openPrompt == nil { try? await Task.sleep(for: .milliseconds(1)) }
      } else {
        await proceeding.value
      }
    }
    if [.emulating, .connected, .completed].contains(stage) { try await session.startEmulation(on: loopback) }
    if stage == .connected || stage == .completed {
      _ = try await Tap.send(stage == .connected ? [Tap.select] : Tap.whole, over: loopback)
      while await log.next() != (stage == .connected ? "posConnected" : "transactionCompleted") {}
    }
    await session.cancel()
    await session.cancel()
    let names = await log.drain()
    let terminal = names.filter { $0.hasPrefix("errorEncountered") || $0 == "transactionCompleted" }
    #expect(terminal == [stage == .completed ? "transactionCompleted" : "errorEncountered(cancelled)"])
    await session.finished()
    #expect(try await test.paymentsLeft() == (stage == .completed ? 4 : 5))
  }

  @Test func `a session without a tap spends no use`() async throws {
    let test = try await TestWallet()
    let (session, _) = try await test.armedSession()
    #expect(try await test.paymentsLeft() == 4)
    await session.cancel()
    #expect(try await test.paymentsLeft() == 5)
    // The released use keeps its counter.
    let (second, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await second.startEmulation(on: loopback)
    #expect(try await Tap.send(Tap.whole, over: loopback)[1].contains("9F36020001"))
    #expect(await log.drain().last == "transactionCompleted")
    await second.finished()
  }

  @Test func `a card with two applications spends the use of the one that paid and releases the other`() async throws {
    let test = try await TestWallet(card: "visa-two-accounts")
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(["00A4040007A000000003201000"] + Tap.whole.dropFirst(), over: loopback)
    #expect(await log.drain().last == "transactionCompleted")
    await session.finished()
    // The use of the debit account was released: it pays with its first counter.
    let (second, secondLog) = try await test.armedSession()
    let other = Loopback(clock: test.clock)
    try await second.startEmulation(on: other)
    #expect(try await Tap.send(Tap.whole, over: other)[1].contains("9F36020001"))
    #expect(await secondLog.drain().last == "transactionCompleted")
    await second.finished()
  }

  @Test func `a link that fails ends the session with a transmission error and releases the use`()
    async throws
  {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    try await session.startEmulation(on: FailingLink())
    #expect(await log.drain().last == "errorEncountered(transmissionError)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }
}

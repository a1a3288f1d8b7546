import ContactlessPayment
import DeviceAuthentication
import ISO7816
import EMVData
import Links
import Octets
import Testing

@Suite("A payment session")
struct SessionTests {
  typealias Failure = ContactlessPaymentSession.Error

  func failure(_ log: EventLog) -> Failure? {
    if case .errorEncountered(let error)? = log.last { error } else { nil }
  }

  @Test("R18: events come in order, with exactly one terminal event, and then the stream ends")
  func order() async throws {
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

  @Test("the transaction's facts are what the terminal sent")
  func context() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(Tap.whole, over: loopback)
    await log.next()
    await log.next()
    guard case .transactionCompleted(let context)? = log.last else {
      Issue.record("no transactionCompleted")
      return
    }
    #expect(context.amount?.description == "50.65")
    #expect(context.date?.description == "2026-01-31")
    #expect(context.type == .purchase)
    #expect(context.currencyCode == [0x09, 0x78])
    #expect(context.transactionCounter == 1)
    #expect(context.aid.description == "A0000000031010")
    #expect(context.digitalCardID == "card")
  }

  @Test("R19: cancelling the action ends the session with cancelled, and the holder is not asked")
  func cancelledAction() async throws {
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

  @Test("R20: emulation before the verification throws and presents nothing")
  func emulationTooEarly() async throws {
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

  @Test("a second emulation is refused and the first goes on")
  func emulatedTwice() async throws {
    let test = try await TestWallet()
    let (session, _) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    await #expect(throws: EmulationRefusal.alreadyEmulating) { try await session.startEmulation(on: loopback) }
    #expect(try await Tap.send(Tap.whole, over: loopback).last?.hasSuffix("9000") == true)
    await session.finished()
  }

  @Test("R21: link loss before the cryptogram keeps the session and the use; a second tap finishes")
  func lossBeforeCryptogram() async throws {
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

  @Test("link loss after the cryptogram spends the use; the second tap takes another, with another counter")
  func lossAfterCryptogram() async throws {
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

  @Test("link loss after the cryptogram of the last use ends the session: no payment keys")
  func lossOfTheLastUse() async throws {
    let test = try await TestWallet(uses: 1)
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    #expect(await log.drain().last == "errorEncountered(noPaymentKeys)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 0)
  }

  @Test("R22: the session ends 60 s after emulation began, not at 59.9 s")
  func emulationLimit() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    while test.clock.sleeperCount == 0 { await Task.yield() }
    test.clock.advance(by: .milliseconds(59_900))
    _ = try await Tap.send([Tap.select], over: loopback)
    await log.next()
    #expect(await log.next() == "posDisconnected")
    test.clock.advance(by: .milliseconds(100))
    #expect(await log.drain().last == "errorEncountered(maxSessionDurationReached)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test(
    "R23: the deadline is checked at GET PROCESSING OPTIONS",
    arguments: [(30_000, "9000", "transactionCompleted"), (30_001, "6986", "errorEncountered(authenticationExpired)")])
  func verificationDeadline(_ milliseconds: Int, _ status: String, _ event: String) async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession(limits: SessionLimits(verificationValidity: .seconds(30)))
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    test.clock.advance(by: .milliseconds(milliseconds))
    let answers = try await Tap.send(status == "9000" ? Tap.whole : [Tap.select, Tap.options], over: loopback)
    #expect(answers[1].hasSuffix(status))
    #expect(await log.drain().last == event)
    await session.finished()
    #expect(try await test.paymentsLeft() == (status == "9000" ? 4 : 5))
  }

  @Test("R24: no default card, an unknown card, a card that is not active")
  func chosenCard() async throws {
    let test = try await TestWallet()
    for state in DigitalCard.State.allCases where state != .active {
      try await test.wallet.setState(state, of: "card")
      #expect(try await startFailure(test, nil) == .cardNotActive(state))
    }
    #expect(try await startFailure(test, "other") == .invalidDigitalCardID("other"))
    try test.store.wipe()
    #expect(try await startFailure(test, nil) == .noDefaultCard)
  }

  @Test("R25: a card without keys fails before anybody is asked")
  func noKeys() async throws {
    let test = try await TestWallet(uses: 0)
    #expect(try await startFailure(test, nil) == .noPaymentKeys)
    #expect(test.device.promptCount(.biometric) == 0)
  }

  private func startFailure(_ test: TestWallet, _ id: String?) async throws -> Failure? {
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment(withDigitalCardID: id)
    await log.next()
    let failure = failure(log)
    #expect(await log.next() == nil)
    return failure
  }

  @Test("R26: the card that was named becomes the default once it has paid")
  func namedCardBecomesDefault() async throws {
    let test = try await TestWallet()
    try await test.wallet.add("second", test.image, keys: TestWallet.keys(for: test.image, uses: 2))
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment(withDigitalCardID: "second")
    await log.proceed()
    #expect(try await test.wallet.cards().first { $0.isDefault }?.id == "card")
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(Tap.whole, over: loopback)
    _ = await log.drain()
    #expect(try await test.wallet.cards().first { $0.isDefault }?.id == "second")
    await session.finished()
  }

  /// How far a session has come when it is cancelled.
  enum Stage: CaseIterable { case idle, required, authenticating, armed, emulating, connected, completed }

  @Test(
    "R37: cancel in any state gives one terminal event, and a second cancel does nothing", arguments: Stage.allCases)
  func cancel(_ stage: Stage) async throws {
    let test = try await TestWallet(user: stage == .authenticating ? .neverAnswers : .approve)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    let loopback = Loopback(clock: test.clock)
    if stage != .idle {
      await session.startPayment()
      await log.next()
    }
    if stage != .idle, stage != .required, case .authenticationRequired(let action)? = log.last {
      let proceeding = Task { await action.proceed() }
      if stage == .authenticating {
        while test.device.openPrompt == nil { await Task.yield() }
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

  @Test("armed and never tapped leaves the key count unchanged")
  func armedAndNeverTapped() async throws {
    let test = try await TestWallet()
    let (session, _) = try await test.armedSession()
    #expect(try await test.paymentsLeft() == 4)
    await session.cancel()
    #expect(try await test.paymentsLeft() == 5)
    // The use that came back keeps its counter.
    let (second, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await second.startEmulation(on: loopback)
    #expect(try await Tap.send(Tap.whole, over: loopback)[1].contains("9F36020001"))
    #expect(await log.drain().last == "transactionCompleted")
    await second.finished()
  }

  @Test("a card with two applications spends the one that paid and gets the other's use back")
  func twoApplications() async throws {
    let test = try await TestWallet(card: "visa-two-accounts")
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(["00A4040007A000000003201000"] + Tap.whole.dropFirst(), over: loopback)
    #expect(await log.drain().last == "transactionCompleted")
    await session.finished()
    // The debit account's counter has come back: it pays with its first one.
    let (second, secondLog) = try await test.armedSession()
    let other = Loopback(clock: test.clock)
    try await second.startEmulation(on: other)
    #expect(try await Tap.send(Tap.whole, over: other)[1].contains("9F36020001"))
    #expect(await secondLog.drain().last == "transactionCompleted")
    await second.finished()
  }

  @Test("a link that cannot serve ends the session with a transmission error, and the use comes back")
  func failingLink() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    try await session.startEmulation(on: FailingLink())
    #expect(await log.drain().last == "errorEncountered(transmissionError)")
    #expect(failure(log) == nil)
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }
}

/// A link whose reader is not there.
struct FailingLink: EmulationLink {
  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    throw LinkError(.readerUnavailable, "no reader")
  }
  func stop() {}
}

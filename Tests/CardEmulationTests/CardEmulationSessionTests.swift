import CardEmulation
import ISO7816
import Links
import Octets
import TestSupport
import Testing

@Suite("A card emulation session", .timeLimit(.minutes(20)))
struct CardEmulationSessionTests {
  let clock = ManualClock()
  let system = ScriptedEmulationSystem()
  // No test depends on the real time of a response: on a loaded machine the tasks of the session start late.
  let loopback = Loopback(responseTimeout: .seconds(3_600))

  private func emulation(
    _ declared: DeclaredAIDs? = nil, answer: Duration = .seconds(3_600)
  ) -> Emulation {
    let limits = EmulationLimits(coolDown: .seconds(5), answer: answer)
    return Emulation(CardEmulationSession(declared: declared, limits: limits, system: system, clock: clock))
  }

  private func code(_ work: () throws(EmulationError) -> Void) -> EmulationError.Code? {
    do throws(EmulationError) {
      try work()
      return nil
    } catch { return error.code }
  }

  private func refusal(_ apdu: ReceivedAPDU?, _ response: ResponseAPDU = ResponseAPDU()) -> ResponseError? {
    do throws(ResponseError) {
      try apdu?.respond(with: response)
      return nil
    } catch { return error }
  }

  @Test func `a session reports its events in order, and the last one once`() async throws {
    let emulation = emulation()
    #expect(await emulation.next() == "started")
    try emulation.session.startEmulation(on: loopback)
    let terminal = try tap(["80CA9F3600", "80CA9F1700"], at: loopback)
    #expect(await emulation.next(2) == ["detected", "received"])
    #expect(emulation.apdu?.command?.ins == Instruction.getData)
    #expect(refusal(emulation.apdu, ResponseAPDU(data: [1], status: .ok)) == nil)
    #expect(await emulation.next() == "received")
    #expect(refusal(emulation.apdu, ResponseAPDU(status: .notFound)) == nil)
    #expect(try await terminal.value() == ["019000", "6A82"])
    #expect(await emulation.next() == "deselected 0")
    emulation.session.stopEmulation(.success)
    #expect(system.shown == [.success])
    emulation.session.invalidate()
    emulation.session.invalidate(by: .user)
    #expect(await emulation.drain().last == "invalidated invalidated")
    #expect(emulation.names.count == 6)
    await emulation.session.finished()
  }

  @Test func `a second response to an APDU is refused, and the first one is sent`() async throws {
    let emulation = emulation()
    try emulation.session.startEmulation(on: loopback)
    let terminal = try tap(["80CA9F3600"], at: loopback)
    _ = await emulation.next(3)
    let apdu = emulation.apdu
    #expect(refusal(apdu, ResponseAPDU(data: [1])) == nil)
    #expect(refusal(apdu, ResponseAPDU(data: [2])) == .alreadyAnswered)
    #expect(try await terminal.value() == ["019000"])
    #expect(refusal(apdu) == .alreadyAnswered)
    #expect(await emulation.next() == "deselected 0")
    emulation.session.invalidate()
    await emulation.session.finished()
  }

  @Test func `of many simultaneous responses to an APDU exactly one is sent`() async throws {
    let emulation = emulation()
    try emulation.session.startEmulation(on: loopback)
    let terminal = try tap(["80CA9F3600"], at: loopback)
    _ = await emulation.next(3)
    let apdu = try #require(emulation.apdu)
    let sent = await withTaskGroup(of: UInt8?.self) { group in
      for place in UInt8(0)..<32 {
        group.addTask { (try? apdu.respond(with: ResponseAPDU(data: [place]))).map { place } }
      }
      return await group.reduce(into: [UInt8]()) { if let place = $1 { $0.append(place) } }
    }
    #expect(sent.count == 1)
    #expect(try await terminal.value() == [ResponseAPDU(data: sent).encoded.hex])
    emulation.session.invalidate()
    await emulation.session.finished()
  }

  @Test func `an APDU that is released without a response ends emulation`() async throws {
    let emulation = emulation()
    try emulation.session.startEmulation(on: loopback)
    let terminal = try tap(["80CA9F3600", "80CA9F3600"], at: loopback)
    _ = await emulation.next(3)
    emulation.drop()
    #expect(await emulation.drain().suffix(2) == ["deselected 0", "invalidated emulationStopped"])
    #expect(throws: LinkError(.cardRemoved, "")) { try terminal.join() }
    await emulation.session.finished()
    #expect(
      code { () throws(EmulationError) in try emulation.session.startEmulation(on: Loopback()) } == .emulationStopped)
  }

  @Test func `an APDU can be answered again after a response that is too long`() async throws {
    let emulation = emulation()
    try emulation.session.startEmulation(on: loopback)
    let terminal = try tap(["80CA9F3600"], at: loopback)
    _ = await emulation.next(3)
    let tooLong = ResponseAPDU(data: [UInt8](repeating: 0, count: 65_537))
    for _ in 0..<2 {
      #expect(refusal(emulation.apdu, tooLong) == .notSent(EmulationError(.transmissionError, "")))
    }
    #expect(refusal(emulation.apdu, ResponseAPDU(data: [7])) == nil)
    #expect(try await terminal.value() == ["079000"])
    emulation.session.invalidate()
    await emulation.session.finished()
  }

  @Test func `an APDU that is not answered in time gets 6F00, a late response is refused, and the next APDU is served`()
    async throws
  {
    let emulation = emulation(answer: .milliseconds(50))
    try emulation.session.startEmulation(on: loopback)
    let terminal = try tap(["80CA9F3600"], at: loopback)
    _ = await emulation.next(3)
    let apdu = emulation.apdu
    #expect(try await terminal.value() == ["6F00"])
    #expect(refusal(apdu) == .notSent(EmulationError(.transmissionError, "")))
    #expect(await emulation.next() == "deselected 0")
    _ = try tap(["80CA9F3600"], at: loopback)
    #expect(await emulation.next(2) == ["detected", "received"])
    emulation.session.invalidate()
    await emulation.session.finished()
  }

  @Test func `another AID is a deselection and answered with 6A82, a lost field is a link loss`() async throws {
    let emulation = emulation(try AIDRouterTests.declared(AIDRouterTests.visa))
    try emulation.session.startEmulation(on: loopback)
    let selects = [AIDRouterTests.visa, "A0000000041010", AIDRouterTests.visa].map { AIDRouterTests.select($0) }
    let terminal = try tap(selects, at: loopback)
    _ = await emulation.next(3)
    #expect(refusal(emulation.apdu) == nil)
    #expect(await emulation.next(3) == ["deselected 1", "detected", "received"])
    #expect(refusal(emulation.apdu) == nil)
    #expect(try await terminal.value() == ["9000", "6A82", "9000"])
    #expect(await emulation.next() == "deselected 0")
    emulation.session.invalidate()
    await emulation.session.finished()
  }

  @Test func `a stopped session can start again on a new link after the cool-down`() async throws {
    let emulation = emulation()
    try emulation.session.startEmulation(on: loopback)
    #expect(
      code { () throws(EmulationError) in try emulation.session.startEmulation(on: Loopback()) } == .systemNotAvailable)
    emulation.session.stopEmulation(.failure)
    let second = Loopback()
    clock.advance(by: .milliseconds(4_999))
    #expect(
      code { () throws(EmulationError) in try emulation.session.startEmulation(on: second) } == .systemNotAvailable)
    clock.advance(by: .milliseconds(1))
    #expect(code { () throws(EmulationError) in try emulation.session.startEmulation(on: second) } == nil)
    let terminal = try tap(["80CA9F3600"], at: second)
    #expect(await emulation.next(3) == ["started", "detected", "received"])
    #expect(refusal(emulation.apdu) == nil)
    #expect(try await terminal.value() == ["9000"])
    emulation.session.invalidate(by: .user)
    #expect(await emulation.drain().suffix(2) == ["deselected 0", "invalidated userInvalidated"])
    await emulation.session.finished()
  }

  @Test(arguments: [false, true])
  func `emulation ends after 60 s, with and without an unanswered APDU`(_ isUnanswered: Bool) async throws {
    let emulation = emulation()
    try emulation.session.startEmulation(on: loopback)
    let terminal = isUnanswered ? try tap(["80CA9F3600"], at: loopback) : nil
    _ = await emulation.next(isUnanswered ? 3 : 1)
    while clock.sleeperCount == 0 { try? await Task.sleep(for: .milliseconds(1)) }
    clock.advance(by: .milliseconds(59_999))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(1))
    let apdu = emulation.apdu
    #expect(await emulation.drain().last == "invalidated maxSessionDurationReached")
    await emulation.session.finished()
    if isUnanswered { #expect(refusal(apdu) == .notSent(EmulationError(.emulationStopped, ""))) }
    #expect(throws: LinkError(.cardRemoved, "")) { try (terminal ?? tap(["80CA9F3600"], at: loopback)).join() }
  }

  @Test func `emulation that the system forbids does not start until the system allows it`() throws {
    let emulation = emulation()
    let codes: [EmulationError.Code] = [
      .radioDisabled, .accessNotAccepted, .systemEligibilityFailed, .systemNotAvailable,
    ]
    for (obstacle, expected) in zip(EmulationObstacle.allCases, codes) {
      system.set(obstacle)
      #expect(code { () throws(EmulationError) in try emulation.session.startEmulation(on: loopback) } == expected)
    }
    system.set(nil)
    #expect(code { () throws(EmulationError) in try emulation.session.startEmulation(on: loopback) } == nil)
    emulation.session.invalidate()
  }

  enum End: CaseIterable { case stopped, invalidated, readerCancelled, sessionGone }

  @Test(arguments: End.allCases)
  func `the end of emulation releases the thread of an unanswered APDU and refuses its response`(_ end: End)
    async throws
  {
    let link = FallibleLink(loopback)
    // No test may depend on the real time limit of a response: a loaded machine exceeds it.
    var session: CardEmulationSession? = CardEmulationSession(
      limits: EmulationLimits(answer: .seconds(3_600)), system: system, clock: clock)
    try session?.startEmulation(on: link)
    let events = try #require(session?.events)
    let terminal = try tap(["80CA9F3600"], at: loopback)
    let (apdus, giver) = AsyncStream<ReceivedAPDU>.makeStream()
    let reader = Task {
      for await event in events { if case .received(let apdu) = event { giver.yield(apdu) } }
    }
    var iterator = apdus.makeAsyncIterator()
    let apdu = await iterator.next(isolation: nil)
    switch end {
    case .stopped: session?.stopEmulation(.failure)
    case .invalidated: session?.invalidate()
    case .readerCancelled: reader.cancel()
    case .sessionGone: session = nil
    }
    await #expect(throws: LinkError(.cardRemoved, "")) { _ = try await terminal.value() }
    await link.ended()
    #expect(refusal(apdu) == .notSent(EmulationError(.emulationStopped, "")))
    reader.cancel()
    await reader.value
    _ = session
  }

  @Test(
    arguments: [
      (nil, "emulationStopped"), (.readerUnavailable, "radioDisabled"), (.serviceUnavailable, "systemNotAvailable"),
      (.terminalLost, "systemNotAvailable"), (.transmissionFailed, "systemNotAvailable"),
    ] as [(LinkError.Code?, String)])
  func `a link that ends by itself ends the session, and never with transmissionError`(
    _ failure: LinkError.Code?, _ name: String
  ) async throws {
    let link = FallibleLink(loopback, failure)
    let emulation = emulation()
    try emulation.session.startEmulation(on: link)
    let terminal = try tap(["80CA9F3600", "80CA9F3600"], at: loopback)
    _ = await emulation.next(3)
    #expect(refusal(emulation.apdu) == nil)
    #expect(await emulation.next() == "received")
    loopback.stop()
    #expect(refusal(emulation.apdu) == nil)
    #expect(await emulation.drain().suffix(2) == ["deselected 0", "invalidated \(name)"])
    #expect(throws: LinkError(.cardRemoved, "")) { try terminal.join() }
    await link.ended()
    await emulation.session.finished()
  }
}

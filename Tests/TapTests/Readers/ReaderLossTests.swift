import ContactlessPayment
import Foundation
import Links
import Synchronization
import TestSupport
import Testing
import VirtualCard

/// The card is an armed session in this process, the terminal is `tap accept` behind a real pcscd of the test's own.
/// A tap takes about a second there, so a few exchanges stand for all: before the cryptogram, with it, after it.
@Suite("A link through a real pcscd that is lost", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ReaderLossTests {
  static let cryptogram = 3
  static let exchanges = [2, 3, 4]

  let pcscd: IsolatedPCSCD
  init() throws { pcscd = try IsolatedPCSCD() }

  private func link(
    _ setup: LossSetup, within exchange: Int? = nil,
    act: @escaping @Sendable (LossyLink<VPCDLink>) -> Void = { $0.lose() }
  ) throws -> LossyLink<VPCDLink> {
    LossyLink(
      try VPCDLink(port: pcscd.port, clock: setup.clock), journal: setup.journal, within: exchange, act: act)
  }

  private func terminal() throws -> ProgramRun {
    try TapProgram.start(
      [
        "accept", "--reader", "pcsc:\(pcscd.readerNames[0])", "--amount", "12.34", "--currency", "978", "--format",
        "json", "--timeout", "20",
      ], environment: pcscd.environment)
  }

  /// Runs a program to its end without a thread of the pool.
  private func finish(_ program: ProgramRun) async throws -> TapProgram.Run {
    try await DedicatedThread(named: "terminal") { Result { try TapProgram.finish(program) } }.value().get()
  }

  private func pay() async throws {
    let run = try await finish(terminal())
    #expect(run.code == 0, "\(run.errors)")
    #expect(try run.json()["outcome"] as? String == "approved")
  }

  /// No socket to the reader that still has an owner: local address, remote address, state ... inode.
  private func expectNoSocket() throws {
    let port = String(format: ":%04X", pcscd.port)
    let lines = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n")
    let owned = lines.map { $0.split(separator: " ") }.filter { $0.count > 9 && $0[2].hasSuffix(port) && $0[9] != "0" }
    #expect(owned.isEmpty)
  }

  @Test(arguments: exchanges)
  func `the card is torn out within an exchange: one error on each side, and the next session repeats no use`(
    _ exchange: Int
  ) async throws {
    let setup = try await LossSetup(card: "visa-cvn18")
    let (session, log) = try await setup.armed()
    try await session.startEmulation(on: link(setup, within: exchange))
    let run = try await finish(terminal())
    #expect(run.code == 2)
    #expect((try run.json()["error"] as? [String: Any])?["code"] as? String == "cardRemoved", "\(run.output)")
    #expect(await log.drain().filter(\.isTerminalEvent) == ["errorEncountered(transmissionError)"])
    await setup.end(session)
    let isSpent = exchange >= Self.cryptogram
    #expect(try setup.usesLeft() == LossSetup.uses - (isSpent ? 1 : 0))
    let next = try await setup.armed()
    try await next.session.startEmulation(on: link(setup))
    try await pay()
    #expect(await next.log.drain().last == "transactionCompleted")
    await setup.end(next.session)
    #expect(setup.journal.counters == (isSpent ? [1, 2] : [1]))
    try expectNoSocket()
  }

  @Test(arguments: exchanges)
  func `the terminal dies within an exchange: the session lives on, and pays at the next tap`(_ exchange: Int)
    async throws
  {
    let setup = try await LossSetup(card: "visa-cvn18")
    let (session, log) = try await setup.armed()
    let box = Victim()
    try await session.startEmulation(on: link(setup, within: exchange) { _ in box.die() })
    let program = try terminal()
    box.set(program)
    let ending = await DedicatedThread(named: "terminal") { program.wait(timeout: .seconds(60)) }.value()
    #expect(ending == .killed(signal: SIGKILL))
    await log.read(until: "posDisconnected")
    #expect(log.names.last == "posDisconnected")
    try await pay()
    #expect(await log.drain().filter(\.isTerminalEvent) == ["transactionCompleted"])
    await setup.end(session)
    let uses = exchange >= Self.cryptogram ? 2 : 1
    #expect(setup.journal.counters == Array(1...UInt16(uses)))
    #expect(try setup.usesLeft() == LossSetup.uses - uses)
    try expectNoSocket()
  }

  @Test(arguments: exchanges)
  func `pcscd dies within an exchange: one error on each side`(_ exchange: Int) async throws {
    let setup = try await LossSetup(card: "visa-cvn18")
    let (session, log) = try await setup.armed()
    try await session.startEmulation(on: link(setup, within: exchange) { [pcscd] _ in pcscd.kill() })
    let run = try await finish(terminal())
    #expect(run.code == 2)
    #expect((try run.json()["error"] as? [String: Any])?["code"] as? String == "serviceUnavailable", "\(run.output)")
    #expect(await log.drain().filter(\.isTerminalEvent) == ["errorEncountered(transmissionError)"])
    await setup.end(session)
    #expect(try setup.usesLeft() == LossSetup.uses - (exchange >= Self.cryptogram ? 1 : 0))
    try expectNoSocket()
  }
}

/// A program that is killed from the card's thread, once it is known there.
private final class Victim: Sendable {
  private let program = Mutex<ProgramRun?>(nil)

  func set(_ program: ProgramRun) { self.program.withLock { $0 = program } }

  func die() {
    guard let program = program.withLock(\.self) else { return }
    program.signal(SIGKILL)
    _ = program.wait(timeout: .seconds(60))
  }
}

import EMVCard
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import Links
import PaymentAcceptance
import Synchronization
import TapLatency
import TestSupport
import Testing

@Suite("Benchmarks of taps", .blocks, .timeLimit(.minutes(20)))
struct BenchmarkTests {
  let terminal: TerminalConfiguration
  let request: PaymentRequest

  init() throws {
    terminal = try TerminalConfiguration(json: [UInt8](Fixtures.data("Terminals/attended-eur.json")))
    request = try PaymentOrder(amount: "12.34", currency: "978").request(at: terminal)
  }

  func run(_ card: String, over meeting: TapConnection, taps: Int) async throws -> BenchmarkReport {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/\(card).json")))
    return try await TapBenchmark(image, over: meeting, taps: taps, warmUp: 2).run(request, at: terminal).report
  }

  static let cards = ["visa-cvn18", "co-badged", "mastercard-cvn16", "mastercard-cvn21", "mastercard-magstripe"]

  @Test(arguments: cards)
  func `one armed card repeats every command but the one that spends its use`(_ card: String) async throws {
    let report = try await run(card, over: .direct, taps: 100)
    // A card answers this command a few times only, so it is not repeated either. A terminal sends it again when the answer
    // came late, as on a busy machine.
    let relay = "EXCHANGE RELAY RESISTANCE DATA"
    let spending =
      switch card {
      case "visa-cvn18", "co-badged": "GET PROCESSING OPTIONS"
      case "mastercard-magstripe": "COMPUTE CRYPTOGRAPHIC CHECKSUM"
      default: "GENERATE AC"
      }
    for row in report.commands where row.command != "whole tap" {
      switch row.command {
      case spending: #expect(row.times.count == 64, "\(row)")
      case relay: #expect((64...3 * 64).contains(row.times.count), "\(row)")
      default: #expect([100, 200].contains(row.times.count), "\(row)")
      }
    }
    #expect(report.commands.last?.command == "whole tap")
    #expect(report.commands.last?.times.count == 64)
    #expect(report.outcomes.map(\.name) == ["approved"])
  }

  @Test func `percentiles are ordered and the parts make up the whole tap`() async throws {
    for meeting in [TapConnection.direct, .loopback] {
      let report = try await run("mastercard-cvn16", over: meeting, taps: 30)
      for row in report.commands + report.parts {
        let times = [row.times.minimum, row.times.p50, row.times.p90, row.times.maximum].compactMap(\.self)
        #expect(times.count == 4 && times == times.sorted() && times[0] >= 0 && row.noise >= 0, "\(row)")
        #expect(row.times.count >= 100 || row.times.p99 == nil)
        #expect(row.times.count >= 1_000 || row.times.p999 == nil)
      }
      let parts = if case .direct = meeting { ["card", "terminal"] } else { ["card", "link", "terminal"] }
      #expect(report.parts.map(\.command) == parts)
      #expect(report.wholeTaps == 30)
      #expect(abs(report.parts.reduce(0) { $0 + $1.share } - 1) < 0.001)
      #expect(report.commands.last?.share == 1)
      let commands = report.commands.dropLast().reduce(0) { $0 + $1.share }
      #expect(abs(1 - commands - (report.parts.last?.share ?? 0)) < 0.001)
    }
  }

  @Test func `direct has no link, and loopback pays for two threads`() async throws {
    let direct = try await run("visa-cvn18", over: .direct, taps: 20)
    let loopback = try await run("visa-cvn18", over: .loopback, taps: 20)
    #expect(!direct.parts.contains { $0.command == "link" })
    #expect(loopback.parts[1].command == "link" && loopback.parts[1].times.minimum > 0)
    #expect(direct.counts == loopback.counts)
  }

  @Test func `a measurement is read back from its JSON`() async throws {
    let report = try await run("visa-cvn18", over: .direct, taps: 20)
    let json = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(BenchmarkReport.self, from: json) == report)
  }

  @Test func `a card that answers a repeated command differently ends the repetition`() throws {
    let exchange = { (count: Int) in
      Exchange(
        number: 1, tap: 1, phase: .selectDirectory, command: [0x00, 0xA4, 0x04, 0x00],
        response: [UInt8](repeating: 0x6F, count: count - 2) + [0x90, 0x00], nanoseconds: 1)
    }
    var channel = DirectChannel(ScriptedResponder(otherwise: [0x6F, 0x6F, 0x90, 0x00]))
    var same = CommandRepetition(of: [exchange(4)], rounds: 10)
    let progress = Mutex<[Int]>([])
    try same.run(over: &channel, rounds: 10) { round in progress.withLock { $0.append(round) } }
    #expect(progress.withLock { $0 } == Array(1...10))
    var other = CommandRepetition(of: [exchange(5)], rounds: 10)
    #expect(throws: LinkError(.recordingDiffers, "")) { try other.run(over: &channel, rounds: 1) }
  }
}

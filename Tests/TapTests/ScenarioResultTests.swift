import EMVTerminal
import Fixtures
import Foundation
import TestSupport
import Testing

@testable import PaymentAcceptance
@testable import tap

/// Results of `tap test` for machines: JUnit XML by other people's parsers, percentiles by hand.
@Suite("Results of tap test", .blocks)
struct ScenarioResultTests {
  struct Reading: Decodable {
    struct Case: Decodable {
      let suite: String
      let name: String
      let seconds: Double
      let output: String?
      let results: [String]
      let messages: [String]
    }
    let totals: [String: Int]
    let cases: [Case]
    let time: Double
  }

  func read(_ path: String) throws -> Reading {
    let program = try ProgramRun(OracleTests().python(), [OracleTests.script("read_junit.py"), path])
    #expect(try program.finish() == .exited(0), "\(program.errors)")
    return try JSONDecoder().decode(Reading.self, from: Data(program.output.utf8))
  }

  @Test func `JUnit XML says the same to two parsers: passed, failed, error, not run`() throws {
    let scratch = try Scratch()
    let card = "card: {file: \(TapProgram.card("visa-cvn18"))}"
    let head = "amount: 12.34\ncurrency: EUR\n"
    let files = try [
      ("a", "name: 'Good <&> \"all\" ]]>'\n\(head)\(card)\nrepeat: 2\nexpect: {outcome: approved}\n"),
      ("b", "name: Bad\n\(head)\(card)\nexpect: {outcome: declined, cvm: signature}\n"),
      ("c", "name: Torn\n\(head)card: {file: \(TapProgram.card("faulty-link")), faults: true}\nexpect: {cvm: CDCVM}\n"),
      ("d", "name: Late\n\(head)\(card)\nrepeat: 5\nexpect: {cvm: CDCVM}\n"),
    ].map { try scratch.write("\($0.0).yaml", $0.1) }
    let output = scratch.path("results.xml")
    let options = ["--reader", "loopback", "--format", "junit", "--output", output]
    let record = ["--record", scratch.path("recordings")]
    let run = try TapProgram.finish(TapProgram.start(["test"] + files + options + record))
    #expect(run.code == 1 && run.output.isEmpty)
    let reading = try read(output)
    #expect(reading.totals == ["tests": 9, "failures": 1, "errors": 1, "skipped": 0])
    #expect(reading.cases.first?.suite == "Good <&> \"all\" ]]>")
    #expect(reading.cases.allSatisfy { $0.output?.hasPrefix("transcript: \(scratch.path("recordings"))/0") == true })
    #expect(reading.cases[2].results == ["failure"])
    #expect(reading.cases[2].messages == ["outcome: expected declined, got approved"])
    #expect(reading.cases[3].results == ["error"])
    #expect(reading.cases[3].messages.first?.contains("the link failed in exchange 3") == true)
    #expect(reading.cases.allSatisfy { $0.seconds > 0 } && reading.time > 0)
    _ = try TapProgram.finish(TapProgram.start(["test"] + files + options + ["--fail-fast", "--force"]))
    let short = try read(output)
    #expect(short.totals == ["tests": 5, "failures": 1, "errors": 0, "skipped": 2])
    #expect(short.cases.last?.results == ["skipped"])
    #expect(short.cases.last?.messages == ["5 of 5 taps not made"])
  }

  @Test func `what XML cannot hold is replaced, and the rest is kept`() throws {
    let text = "a\u{0}b\u{1B}[31m\u{7F}\u{FFFE} ü😀 <x y=\"z\">&amp;\n\t]]>"
    #expect(JUnitReport.escaped(text) == "a?b?[31m?? ü😀 &lt;x y=&quot;z&quot;&gt;&amp;amp;&#10;&#9;]]&gt;")
  }

  /// How many values from 1 microsecond upwards, and the ranks that are wanted.
  static let percentiles: [(count: Int, p50: Int64, p90: Int64, p99: Int64)] = [
    (1, 1, 1, 1), (2, 1, 2, 2), (3, 2, 3, 3), (10, 5, 9, 10), (11, 6, 10, 11), (100, 50, 90, 99), (101, 51, 91, 100),
    (1000, 500, 900, 990),
  ]

  @Test(arguments: percentiles.indices)
  func `percentiles are the nearest ranks`(_ row: Int) throws {
    let (count, p50, p90, p99) = Self.percentiles[row]
    var report = LatencyReport()
    for value in (1...count).reversed() {
      report.add([
        Exchange(number: 1, tap: 1, phase: .selectDirectory, command: [], response: nil, nanoseconds: Int64(value)),
        Exchange(number: 2, tap: 1, phase: .readRecords, command: [], response: nil, nanoseconds: 1000),
      ])
    }
    #expect(report.taps == count)
    #expect(report.rows.map(\.command) == ["SELECT PPSE", "READ RECORD", "whole tap"])
    let row = try #require(report.rows.first)
    #expect([row.minimum, row.p50, row.p90, row.p99, row.maximum] == [1, p50, p90, p99, Int64(count)])
    let whole = try #require(report.rows.last)
    #expect([whole.minimum, whole.p50, whole.maximum] == [1001, p50 + 1000, Int64(count) + 1000])
  }
}

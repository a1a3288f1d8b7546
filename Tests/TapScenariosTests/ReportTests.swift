import Octets
import EMVTerminal
import Fixtures
import Foundation
import PaymentAcceptance
import TapLatency
import Testing

@testable import TapScenarios

/// Tables and documents of results, compared with results computed by hand.
@Suite("Reports of scenarios")
struct ReportTests {
  static func exchange(_ phase: TransactionPhase, _ nanoseconds: Int64) -> Exchange {
    Exchange(number: 1, tap: 1, phase: phase, command: [], response: nil, nanoseconds: nanoseconds)
  }

  @Test func `the table has tenths of microseconds, names on the left, and the whole tap last`() {
    var report = LatencyReport()
    report.add([Self.exchange(.selectDirectory, 1_234_567)])
    report.add([Self.exchange(.selectDirectory, 1_000), Self.exchange(.readRecords, 99)])
    report.add([Self.exchange(.selectDirectory, 2_000)])
    #expect(
      report.table() == [
        "us           count   min   p50     max",
        "SELECT PPSE      3   1.0   2.0  1234.5",
        "READ RECORD      1  <0.1  <0.1    <0.1",
        "whole tap        3   1.0   2.0  1234.5",
      ])
  }

  @Test func `the document has taps, nanoseconds and each command's percentiles`() throws {
    var report = LatencyReport()
    for value in 1...100 as ClosedRange<Int64> { report.add([Self.exchange(.readRecords, value)]) }
    let data = try JSONEncoder().encode(report)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["taps"] as? Int == 100 && object["unit"] as? String == "ns")
    let row = try #require((object["commands"] as? [[String: Any]])?.first)
    #expect(["min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"].map { row[$0] as? Int } == [1, 50, 90, 99, 100])
  }

  /// Two taps that were to be three, one of them failed.
  static func series(_ verdicts: [ScenarioRun.Verdict]) throws -> ScenarioSeries {
    let file = try ScenarioFile(
      Fixtures.url("Scenarios/visa-low-value.yaml").path,
      terminal: [UInt8](Fixtures.data("Terminals/attended-eur.json")))
    var series = ScenarioSeries(file, count: 3)
    for (index, verdict) in verdicts.enumerated() {
      var run = ScenarioRun(number: index + 1, verdict: verdict)
      run.nanoseconds = 1_000_002_000
      series.add(run, [])
    }
    return series
  }

  @Test func `a ledger gives its results to the first caller only`() throws {
    let ledger = ScenarioLedger([try Self.series([])])
    let run = ScenarioRun(number: 1, verdict: .error("torn"))
    #expect(ledger.add(run, [], toSeries: 0).runs.count == 1)
    #expect(ledger.close()?.count("error") == 1)
    #expect(ledger.close() == nil)
  }

  /// Whether the run was interrupted, and the number of skipped taps in the document.
  @Test(arguments: [(false, 1), (true, 0)])
  func `JUnit: taps that were not made are skipped, or errors of an interruption`(_ isInterrupted: Bool, _ skipped: Int)
    throws
  {
    let series = try Self.series([.passed, .error("torn & gone")])
    let text = JUnitReport([series], isInterrupted: isInterrupted).text
    let totals = #"tests="3" failures="0" errors="\#(isInterrupted ? 2 : 1)" skipped="\#(skipped)" time="2.000004""#
    #expect(text.split(separator: "\n").filter { $0.contains(totals) }.count == 2, "\(text)")
    #expect(text.contains(#"<error message="torn &amp; gone" type="link">"#))
    #expect(text.contains("time=\"1.000002\""))
  }

  struct TestError: Error, CustomStringConvertible { let description = "<a> & \"b\"\u{85}" }

  @Test func `JUnit: the document of a run without a tap is XML with any error text`() {
    let text = JUnitReport(of: TestError(), at: WallTime(seconds: 0)).text
    #expect(text.contains(#"<error message="&lt;a&gt; &amp; &quot;b&quot;\u{85}" type="start"/>"#))
  }

  @Test func `JSON: passed only when every tap was made; each verdict has its own count`() throws {
    let report = ScenarioReport([try Self.series([.passed, .passed])], interrupted: true)
    #expect(!report.passed && report.interrupted && report.counts.taps.notRun == 1 && report.counts.taps.passed == 2)
    let mixed = ScenarioReport([try Self.series([.error("x"), .error("y"), .failed([])])], interrupted: false)
    let taps = mixed.counts.taps
    #expect(taps.errors == 2 && taps.failed == 1 && taps.notRun == 0 && !mixed.passed)
    #expect(ScenarioReport([try Self.series([.passed, .passed, .passed])], interrupted: false).passed)
  }

  @Test func `a character that XML cannot hold is replaced, and the rest is kept`() throws {
    let text = "a\u{0}b\u{1B}[31m\u{7F}\u{FFFE} ü😀 <x y=\"z\">&amp;\n\t]]>"
    #expect(
      XMLElement.escaped(text)
        == #"a\u{0}b\u{1B}[31m\u{7F}\u{FFFE} ü😀 &lt;x y=&quot;z&quot;&gt;&amp;amp;&#10;&#9;]]&gt;"#)
  }

  /// The verdicts on the taps of each scenario, three of which are to be made, and the sums in words.
  static let sums: [(verdicts: [[ScenarioRun.Verdict]], text: String)] = [
    ([], "0 scenarios: 0 passed, 0 failed, 0 errors; 0 taps"),
    ([[.passed, .passed, .passed]], "1 scenario: 1 passed, 0 failed, 0 errors; 3 taps"),
    ([[.passed, .passed]], "1 scenario: 0 passed, 0 failed, 0 errors, 1 not made; 3 taps: 2 passed, 1 not made"),
    ([[]], "1 scenario: 0 passed, 0 failed, 0 errors, 1 not made; 3 taps: 3 not made"),
    (
      [[.passed, .failed([]), .error("x")], [.failed([])], [.passed, .warned([]), .passed]],
      "3 scenarios: 0 passed, 1 failed, 1 error, 1 warning; 9 taps: 3 passed, 2 failed, 1 error, 1 warning, 2 not made"
    ),
    (
      [[.notApplicable("x")], [.passed, .notJudged("y"), .passed]],
      "2 scenarios: 0 passed, 0 failed, 0 errors, 1 not applicable, 1 not judged; 3 taps: 2 passed, 1 not judged"
    ),
  ]

  @Test(arguments: sums.indices)
  func `a run is counted in scenarios, each with the worst verdict of its taps, and in taps`(_ row: Int) throws {
    let series = try Self.sums[row].verdicts.map(Self.series)
    #expect(series.sums == Self.sums[row].text)
    let counts = series.counts
    for verdicts in [counts.scenarios, counts.taps] {
      let parts = [verdicts.passed, verdicts.failed, verdicts.errors, verdicts.warnings, verdicts.notRun]
      #expect(parts.reduce(verdicts.notApplicable + verdicts.notJudged, +) == verdicts.total)
    }
    #expect(JUnitReport(series).text.contains("name=\"tap test, \(series.sums)\""))
  }

  /// The number of values from 1 ns upwards, and the percentiles.
  static let percentiles: [(count: Int, p50: Int64, p90: Int64?, p99: Int64?, p999: Int64?)] = [
    (1, 1, nil, nil, nil), (2, 1, nil, nil, nil), (3, 2, nil, nil, nil), (9, 5, nil, nil, nil), (10, 5, 9, nil, nil),
    (11, 6, 10, nil, nil), (99, 50, 90, nil, nil), (100, 50, 90, 99, nil), (101, 51, 91, 100, nil),
    (999, 500, 900, 990, nil), (1000, 500, 900, 990, 999),
  ]

  @Test(arguments: percentiles.indices)
  func `percentiles are the nearest ranks, and those that their count cannot carry are left out`(_ row: Int) throws {
    let (count, p50, p90, p99, p999) = Self.percentiles[row]
    var report = LatencyReport()
    for value in (1...count).reversed() {
      report.add([
        Exchange(number: 1, tap: 1, phase: .selectDirectory, command: [], response: nil, nanoseconds: Int64(value)),
        Exchange(number: 2, tap: 1, phase: .readRecords, command: [], response: nil, nanoseconds: 1000),
      ])
    }
    #expect(report.taps == count)
    #expect(report.rows.map(\.command) == ["SELECT PPSE", "READ RECORD", "whole tap"])
    let row = try #require(report.rows.first).times
    #expect([row.minimum, row.p50, row.p90, row.p99, row.p999, row.maximum] == [1, p50, p90, p99, p999, Int64(count)])
    let whole = try #require(report.rows.last).times
    #expect([whole.minimum, whole.p50, whole.maximum] == [1001, p50 + 1000, Int64(count) + 1000])
  }
}

import Foundation
import Octets
import TapLatency
import Testing

@Suite("Comparisons of measurements")
struct ComparisonTests {
  static func report(
    link: String = "direct", p50: Int = 1_000, noise: Int = 50, commands: Int = 5
  ) throws -> BenchmarkReport {
    let row = """
      {"command": "READ RECORD", "count": 100, "min_ns": 900, "p50_ns": \(p50), "p90_ns": 2000, "p99_ns": 3000, \
      "p999_ns": 4000, "max_ns": 5000, "share": 0.5, "noise_ns": \(noise)}
      """
    let json = """
      {"link": "\(link)", "card": "Test card", "taps": 100, "unit": "ns", "clock_ns": 20, "commands": [\(row)], \
      "parts": [], "counts": [{"name": "commands", "value": \(commands)}], "outcomes": [{"name": "approved", "value": 3}]}
      """
    return try JSONDecoder().decode(BenchmarkReport.self, from: Data(json.utf8))
  }

  @Test(arguments: [(1_100, false), (1_101, true), (900, false), (899, true)])
  func `a difference of medians counts when it is beyond the noise of both measurements`(
    _ now: Int, _ isBeyond: Bool
  ) throws {
    let comparison = try BenchmarkComparison(Self.report(p50: now), with: Self.report())
    #expect(comparison.latencies.map(\.isBeyondNoise) == [isBeyond])
    #expect(!comparison.isRegression)
    #expect(comparison.lines[0].contains(isBeyond ? "beyond the noise of 100 ns" : "within the noise of 100 ns"))
  }

  @Test(arguments: [(5, []), (6, [true]), (4, [false])])
  func `only a count that has grown is a regression`(_ now: Int, _ changes: [Bool]) throws {
    let comparison = try BenchmarkComparison(Self.report(p50: 9_000, commands: now), with: Self.report())
    #expect(comparison.counts.map(\.isRegression) == changes)
    #expect(comparison.isRegression == (now > 5))
    #expect(comparison.lines.contains("each tap: commands 5 -> 6, a regression") == (now == 6))
  }

  @Test func `measurements of different links are not compared`() throws {
    #expect(throws: BenchmarkError.self) {
      try BenchmarkComparison(Self.report(link: "loopback"), with: Self.report())
    }
  }

  @Test func `the table has a row for each command and names its unit`() throws {
    let table = try Self.report().table()
    #expect(table[0].hasPrefix("us") && table[0].contains("p99.9"))
    #expect(table[1].hasPrefix("READ RECORD") && table[1].hasSuffix("50.0 %"))
    #expect(try Self.report(p50: 950).table()[0].hasPrefix("ns"))
    #expect(table.contains("each tap: commands 5"))
    #expect(table.contains("whole taps: 3 measured, approved 3; repeated commands: 100 times by one armed card"))
  }

  @Test func `a table leaves out the percentiles that a count cannot carry, and says what each needs`() throws {
    let row = """
      {"command": "A", "count": 64, "min_ns": 0, "p50_ns": 3, "p90_ns": 5, "max_ns": 7, "share": 1, "noise_ns": 1}
      """
    let json = """
      {"link": "direct", "taps": 64, "whole_taps": 64, "unit": "ns", "clock_ns": 0, "commands": [\(row)], "parts": [], \
      "counts": [], "outcomes": [{"name": "approved", "value": 64}]}
      """
    let table = try JSONDecoder().decode(BenchmarkReport.self, from: Data(json.utf8)).table()
    #expect(table[..<2] == ["ns  count  min  p50  p90  max    share", "A      64   <1    3    5    7  100.0 %"])
    #expect(table.contains("percentiles: p90 needs 10 times, p99 100, p99.9 1000"))
    #expect(table.contains("whole taps: 64 measured, approved 64"))
    #expect(table.last == "two readings of the clock take < 1 us, which is part of each time")
  }

  @Test func `a table has a dash where one row lacks a percentile of another row`() {
    let times = [Percentiles(of: Array(1...100)), Percentiles(of: [1_000])].compactMap(\.self)
    let table = PercentileTable(times)
    #expect(table.heads == ["count", "min", "p50", "p90", "p99", "max"])
    #expect(table.cells == [["100", "1", "50", "90", "99", "100"], ["1", "1000", "1000", "-", "-", "1000"]])
  }

  static let units: [(count: Int64, numbers: [String])] = [
    (0, ["<1", "<0.1", "<0.001"]), (99, ["99", "<0.1", "<0.001"]), (100, ["100", "0.1", "<0.001"]),
    (1_999, ["1999", "1.9", "0.001"]), (12_034_567, ["12034567", "12034.5", "12.034"]),
  ]

  @Test(arguments: units.indices)
  func `a time is never zero in any unit`(_ row: Int) {
    let (count, numbers) = Self.units[row]
    #expect([TimeUnit.nanoseconds, .microseconds, .milliseconds].map { $0.number(count) } == numbers)
  }
}

import Foundation
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
  }
}

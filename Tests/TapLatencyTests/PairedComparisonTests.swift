import Foundation
import Octets
import TapLatency
import Testing

/// Comparisons of subjects whose times a virtual clock gives: a machine with other work, drawn from a seed.
@Suite("Comparisons in turns")
struct PairedComparisonTests {
  /// A machine whose speed changes slowly, with noise in each time and a pause now and then.
  struct Machine {
    private var generator: SplitMix64
    private var pace = 1.0

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// The time of a subject, in nanoseconds.
    mutating func time(of subject: Int64) -> Int64 {
      let part = { (generator: inout SplitMix64) in Double(generator.next() >> 11) / Double(1 << 53) }
      // Up to 2 % faster or slower than before, within half and double speed.
      pace = min(max(pace * (0.98 + 0.04 * part(&generator)), 0.5), 2)
      let noise = 0.98 + 0.04 * part(&generator)
      let pause = part(&generator) < 0.05 ? 3.0 : 1.0
      return Int64(Double(subject) * pace * noise * pause)
    }
  }

  static func rounds(_ before: Int64, _ now: Int64, seed: UInt64, count: Int = 30) -> PairedRounds {
    var machine = Machine(seed: seed)
    return PairedRounds(
      (0..<count).map { round in
        var times: [Int64] = [0, 0]
        for side in PairedRounds.order(ofRound: round) {
          switch side {
          case .before: times[0] = machine.time(of: before)
          case .now: times[1] = machine.time(of: now)
          }
        }
        return .init(before: times[0], now: times[1])
      })
  }

  static let seeds = 1...20

  @Test func `of 20 comparisons of a subject with itself at most one is a false alarm`() throws {
    let verdicts = try Self.seeds.map { seed in
      try #require(PairedComparison("tap", Self.rounds(40_000_000, 40_000_000, seed: UInt64(seed)), tolerance: 0))
        .verdict
    }
    #expect(verdicts.filter { $0 != .notToldApart }.count <= 1, "\(verdicts)")
  }

  @Test(
    arguments: [
      ("5 % of the card's computation", 40_000_000, 42_000_000), ("2 ms in a link", 20_000_000, 22_000_000),
      ("a doubled computation", 300_000, 600_000),
    ] as [(String, Int64, Int64)])
  func `a planted slowdown is found, and as an improvement it is found too`(
    _ name: String, _ before: Int64, _ now: Int64
  ) throws {
    for seed in Self.seeds {
      let slower = try #require(PairedComparison(name, Self.rounds(before, now, seed: UInt64(seed)), tolerance: 0.01))
      #expect(slower.verdict == .slower && slower.interval.contains(slower.ratio), "\(slower.line)")
      let faster = try #require(PairedComparison(name, Self.rounds(now, before, seed: UInt64(seed)), tolerance: 0.01))
      #expect(faster.verdict == .faster, "\(faster.line)")
    }
  }

  @Test func `a slowdown within the tolerance is not told apart`() throws {
    for seed in Self.seeds {
      let rounds = Self.rounds(40_000_000, 42_000_000, seed: UInt64(seed))
      let comparison = try #require(PairedComparison("tap", rounds, tolerance: 0.1))
      #expect(comparison.verdict == .notToldApart && comparison.detectable > 0.1, "\(comparison.line)")
    }
  }

  @Test func `a slowdown as large as the stated one is seen`() throws {
    for seed in Self.seeds {
      let same = try #require(
        PairedComparison("tap", Self.rounds(40_000_000, 40_000_000, seed: UInt64(seed)), tolerance: 0.02))
      let scaled = same.rounds.map { round in
        PairedRounds.Round(before: round.before, now: Int64(Double(round.now) / same.ratio * (1.001 + same.detectable)))
      }
      #expect(PairedComparison("tap", PairedRounds(scaled), tolerance: 0.02)?.verdict == .slower)
    }
  }

  @Test func `the verdict has the limits of its interval`() throws {
    let rounds = { (now: Int64) in
      PairedRounds([PairedRounds.Round](repeating: .init(before: 1_000, now: now), count: 10))
    }
    let verdict = { (now: Int64) in PairedComparison("tap", rounds(now), tolerance: 0.05)?.verdict }
    #expect(verdict(1_049) == .notToldApart && verdict(1_051) == .slower)
    #expect(verdict(953) == .notToldApart && verdict(952) == .faster)
    #expect(PairedComparison("tap", PairedRounds([]), tolerance: 0) == nil)
    let nine = PairedRounds([PairedRounds.Round](repeating: .init(before: 1, now: 9), count: 9))
    #expect(PairedComparison("tap", nine, tolerance: 0) == nil)
    // A clock with large steps.
    let zero = PairedRounds([PairedRounds.Round](repeating: .init(before: 0, now: 0), count: 10))
    #expect(PairedComparison("tap", zero, tolerance: 0)?.verdict == .notToldApart)
  }

  /// The interval of the median of n values has the ranks of the binomial distribution.
  @Test func `the interval of a median leaves out the outermost values, and as many as its confidence permits`() throws
  {
    let rounds = PairedRounds((1...31).map { .init(before: 100, now: 1_000 + Int64($0)) })
    let comparison = try #require(PairedComparison("tap", rounds, tolerance: 0))
    let rank = { (ratio: Double) in Int((ratio * 100).rounded()) - 1_000 }
    #expect(rank(comparison.ratio) == 16)
    #expect(rank(comparison.interval.lowerBound) == 9 && rank(comparison.interval.upperBound) == 23)
  }

  @Test func `each subject is first in every second round`() {
    #expect((0..<4).map { PairedRounds.order(ofRound: $0)[0] == .before } == [true, false, true, false])
    #expect((0..<4).allSatisfy { Set(PairedRounds.order(ofRound: $0)).count == 2 })
  }

  @Test func `series that were measured one after the other are compared by their parts`() throws {
    let times = (1...100).map { Int64(1_000 + $0 % 7) }
    let samples = [LatencySamples(command: "whole tap", nanoseconds: times)]
    let slow = [LatencySamples(command: "whole tap", nanoseconds: times.map { $0 * 2 })]
    let compared = PairedTimes(slow, with: samples, tolerance: 0.05)
    #expect(!compared.isInTurns && compared.whole?.verdict == .slower && compared.whole?.rounds.count == 30)
    #expect(PairedTimes(samples, with: [], tolerance: 0).whole == nil)
    let few = [LatencySamples(command: "whole tap", nanoseconds: [1, 2])]
    #expect(PairedTimes(few, with: samples, tolerance: 0).lines[0].hasPrefix("No verdict on times"))
  }

  @Test func `samples are written as comma-separated values`() throws {
    let report = try JSONEncoder().encode(ComparisonTests.report())
    var object = try #require(try JSONSerialization.jsonObject(with: report) as? [String: Any])
    object["samples"] = [["command": "READ RECORD", "ns": [900, 1_000]]]
    let saved = try JSONDecoder().decode(SavedBenchmark.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(saved.commaSeparated == "command,number,ns\nREAD RECORD,1,900\nREAD RECORD,2,1000\n")
    let again = try JSONDecoder().decode(SavedBenchmark.self, from: JSONEncoder().encode(saved))
    #expect(again.samples == saved.samples && again.report == saved.report)
    // A result of an earlier version.
    #expect(try JSONDecoder().decode(SavedBenchmark.self, from: report).samples.isEmpty)
  }

  @Test(arguments: ["direct", "loopback"])
  func `the published samples are read back, and their table has the same times`(_ name: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../tools/Benchmarks/Samples")
    let saved = try JSONDecoder().decode(
      SavedBenchmark.self, from: Data(contentsOf: folder.appending(path: "\(name).json")))
    #expect(try saved.commaSeparated == String(contentsOf: folder.appending(path: "\(name).csv"), encoding: .utf8))
    for row in saved.samples {
      let times = try #require(saved.report.commands.first { $0.command == row.command }).times
      #expect(Percentiles(of: row.nanoseconds) == times)
    }
  }
}

internal import DisplayText

/// What a measurement found.
public struct BenchmarkReport: Codable, Equatable, Sendable {
  /// A number that does not depend on the machine.
  public struct Count: Codable, Equatable, Sendable {
    /// What was counted.
    public let name: String
    /// The number.
    public let value: Int
  }

  /// The link, such as `direct`.
  public let link: String
  /// The name of the card; nil for a card at a reader.
  public let card: String?
  /// The number of taps.
  public let taps: Int
  /// The unit of all times: `ns`.
  public let unit: String
  /// What two readings of the clock take, which is part of each time.
  public let clock: Int64
  /// The commands in the order of a tap, then the whole tap: from the first command until the last response.
  public let commands: [LatencyRow]
  /// The parts of a whole tap: card, link and terminal. The time of a card at a reader is part of its link.
  public let parts: [LatencyRow]
  /// The counts of one tap. With taps that differ, the largest.
  public let counts: [Count]
  /// How often the payments had each outcome.
  public let outcomes: [Count]

  private enum CodingKeys: String, CodingKey {
    case link, card, taps, unit, commands, parts, counts, outcomes
    case clock = "clock_ns"
  }
}

extension BenchmarkReport {
  /// The row of a whole tap.
  static let wholeTap = "whole tap"

  /// The percentiles as a table, in nanoseconds when a time is below a microsecond, and else in microseconds.
  ///
  /// - Parameter width: The columns of the terminal; nil for any number.
  public func table(width: Int? = nil) -> [String] {
    let rows = commands + parts
    let heads = [isFine ? "ns" : "us", "count", "min", "p50", "p90", "p99", "p99.9", "max", "share"]
    let cells = rows.map { row in
      [row.command, String(row.count)]
        + [row.minimum, row.p50, row.p90, row.p99, row.p999, row.maximum].map {
          isFine ? String($0) : Self.tenths($0, of: 1_000)
        } + [Self.tenths(Int64(row.share * 1_000), of: 10) + " %"]
    }
    let blocks = TextTable([heads] + cells, numbersAlign: .right).rowLines(width: width)
    var lines = blocks[...commands.count].flatMap { $0 } + [""] + blocks[(commands.count + 1)...].flatMap { $0 }
    let counted = counts.map { "\($0.name) \($0.value)" }
    let ended = outcomes.map { "\($0.name) \($0.value)" }
    lines += ["", "each tap: " + counted.joined(separator: ", "), "taps: " + ended.joined(separator: ", ")]
    lines.append("two readings of the clock take \(clock) ns, which is part of each time")
    return lines
  }

  /// Whether times are shown in nanoseconds.
  var isFine: Bool { ((commands + parts).map(\.p50).min() ?? 0) < 1_000 }

  static func tenths(_ value: Int64, of unit: Int64) -> String {
    let tenths = value * 10 / unit
    return "\(tenths / 10).\(tenths % 10)"
  }
}

internal import DisplayText
internal import Octets

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
  /// How often commands were to be measured: the number of whole taps, or that of the repetitions by one armed card.
  public let taps: Int
  /// The number of whole taps that were measured; nil in a result that an earlier version saved.
  public let wholeTaps: Int?
  /// The unit of all times: `ns`.
  public let unit: String
  /// What two readings of the clock take, which is part of each time.
  public let clock: Int64
  /// The commands in the order of a tap, then the whole tap: from the first command until the last response.
  public let commands: [LatencyRow]
  /// The parts of a whole tap: card, link and terminal. The time of a card at a reader is part of its link; a card that the
  /// terminal calls directly has no link.
  public let parts: [LatencyRow]
  /// The counts of one tap. With taps that differ, the largest.
  public let counts: [Count]
  /// How often the payments had each outcome.
  public let outcomes: [Count]

  private enum CodingKeys: String, CodingKey {
    case link, card, taps, unit, commands, parts, counts, outcomes
    case wholeTaps = "whole_taps"
    case clock = "clock_ns"
  }
}

extension BenchmarkReport {
  /// The row of a whole tap.
  static let wholeTap = "whole tap"

  /// The percentiles as a table, whose times have one unit.
  ///
  /// - Parameter width: The columns of the terminal; nil for any number.
  public func table(width: Int? = nil) -> [String] {
    let rows = commands + parts
    let table = percentiles
    let cells = zip(rows, table.cells).map { [$0.command] + $1 + [Self.percent($0.share)] }
    let heads = [table.unit.rawValue] + table.heads + ["share"]
    let blocks = TextTable([heads] + cells, numbersAlign: .right).rowLines(width: width)
    var lines = blocks[...commands.count].flatMap { $0 } + [""] + blocks[(commands.count + 1)...].flatMap { $0 }
    lines += ["", "each tap: " + counts.map { "\($0.name) \($0.value)" }.joined(separator: ", "), measured]
    if table.isShortened { lines.append("percentiles: " + PercentileTable.needs) }
    lines.append("two readings of the clock take \(Duration.nanoseconds(clock).text), which is part of each time")
    return lines
  }

  /// The percentiles of the commands, then those of the parts.
  public var percentiles: PercentileTable { PercentileTable((commands + parts).map(\.times)) }

  /// How many whole taps were measured, with their outcomes, and how often commands were repeated: `whole taps: 64 measured,
  /// approved 64; repeated commands: 1000 times by one armed card`.
  public var measured: String {
    let whole = outcomes.reduce(0) { $0 + $1.value }
    let ended = outcomes.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    let repeated = taps > whole ? "; repeated commands: \(taps) times by one armed card" : ""
    return "whole taps: \(whole) measured, \(ended)\(repeated)"
  }

  private static func percent(_ share: Double) -> String {
    let permille = Int64(share * 1_000)
    return "\(permille / 10).\(permille % 10) %"
  }
}

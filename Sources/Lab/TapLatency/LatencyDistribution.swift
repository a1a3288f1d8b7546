/// How the times of one command are distributed over a logarithmic axis.
public struct LatencyDistribution: Equatable, Sendable {
  /// The command, or `whole tap`.
  public let command: String
  /// The start of the axis in nanoseconds. All commands of a measurement have the same axis.
  public let lowest: Int64
  /// The end of the axis in nanoseconds.
  public let highest: Int64
  /// The number of times in each column.
  public let columns: [Int]
}

extension LatencyDistribution {
  /// The distributions of some commands.
  static func all(_ rows: [Samples]) -> [LatencyDistribution] {
    let times = rows.flatMap(\.nanoseconds)
    guard let lowest = times.min(), let highest = times.max() else { return [] }
    let histogram = Histogram(from: lowest, to: highest)
    return rows.map { row in
      LatencyDistribution(
        command: row.name, lowest: lowest, highest: highest, columns: histogram.columns(row.nanoseconds))
    }
  }
}

extension PairedComparison {
  /// The distributions of both subjects on one axis.
  public var distributions: (before: LatencyDistribution, now: LatencyDistribution)? {
    let side = { (name: String, times: [Int64]) in
      times.reduce(into: Samples(name, capacity: times.count)) { $0.add($1) }
    }
    let both = LatencyDistribution.all([side(name, rounds.map(\.before)), side(name, rounds.map(\.now))])
    return both.count == 2 ? (both[0], both[1]) : nil
  }
}

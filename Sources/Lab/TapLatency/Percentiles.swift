public import Octets

/// How times are distributed: the shortest, the longest, and the percentiles that their number can carry.
///
/// A percentile needs at least one time above it: p90 needs 10 times, p99 100, and p99.9 1000. It is nil for fewer.
public struct Percentiles: Codable, Equatable, Sendable {
  /// The number of times that were measured.
  public let count: Int
  /// The shortest time, in nanoseconds.
  public let minimum: Int64
  /// The median.
  public let p50: Int64
  /// The time that 90 % did not exceed; nil for fewer than 10 times.
  public let p90: Int64?
  /// The time that 99 % did not exceed; nil for fewer than 100 times.
  public let p99: Int64?
  /// The time that 99.9 % did not exceed; nil for fewer than 1000 times.
  public let p999: Int64?
  /// The longest time.
  public let maximum: Int64

  private enum CodingKeys: String, CodingKey {
    case count
    case minimum = "min_ns"
    case p50 = "p50_ns"
    case p90 = "p90_ns"
    case p99 = "p99_ns"
    case p999 = "p999_ns"
    case maximum = "max_ns"
  }

  /// Creates the percentiles of some times.
  ///
  /// - Parameter times: In nanoseconds, in any order. Nil without times.
  public init?(of times: [Int64]) {
    let sorted = times.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    // The nearest rank: the smallest value that this share of all values does not exceed.
    let rank = { (permille: Int) in sorted[max(0, (sorted.count * permille + 999) / 1000 - 1)] }
    let carried = { (permille: Int) in sorted.count * (1000 - permille) >= 1000 ? rank(permille) : nil }
    (count, minimum, maximum) = (sorted.count, first, last)
    (p50, p90, p99, p999) = (rank(500), carried(900), carried(990), carried(999))
  }
}

/// Percentiles as the cells of a table: one unit for all times, and no column that every row leaves out.
public struct PercentileTable: Sendable {
  /// How many times each percentile needs, in words.
  public static let needs = "p90 needs 10 times, p99 100, p99.9 1000"

  /// The unit of all times.
  public let unit: TimeUnit
  /// `count`, `min`, `p50`, …, `max`.
  public let heads: [String]
  /// The cells under the heads, one list for each row. A percentile that its count cannot carry is `-`.
  public let cells: [[String]]
  /// Whether a percentile of a row is left out.
  public let isShortened: Bool

  /// Creates a table.
  ///
  /// - Parameter unit: Nil for that in which the shortest median has digits.
  public init(_ rows: [Percentiles], in unit: TimeUnit? = nil) {
    let unit = unit ?? TimeUnit(for: rows.map(\.p50).min() ?? 0)
    let times: [(head: String, time: (Percentiles) -> Int64?)] = [
      ("min", { $0.minimum }), ("p50", { $0.p50 }), ("p90", { $0.p90 }), ("p99", { $0.p99 }), ("p99.9", { $0.p999 }),
      ("max", { $0.maximum }),
    ]
    let shown = times.filter { column in rows.contains { column.time($0) != nil } }
    self.unit = unit
    heads = ["count"] + shown.map(\.head)
    cells = rows.map { row in [String(row.count)] + shown.map { $0.time(row).map(unit.number) ?? "-" } }
    isShortened = rows.contains { $0.p999 == nil }
  }
}

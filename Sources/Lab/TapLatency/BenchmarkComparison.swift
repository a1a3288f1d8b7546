/// A measurement beside an earlier one of the same taps.
public struct BenchmarkComparison: Encodable, Sendable {
  /// The median of one command or part in both measurements, in nanoseconds.
  public struct Row: Encodable, Sendable {
    /// The command, or the part of a tap.
    public let command: String
    /// The earlier median.
    public let before: Int64
    /// The median of this measurement.
    public let now: Int64
    /// How far both medians vary together within their measurements.
    public let noise: Int64
    /// Whether the medians differ by more than the noise.
    public let isBeyondNoise: Bool

    private enum CodingKeys: String, CodingKey {
      case command
      case before = "before_p50_ns"
      case now = "p50_ns"
      case noise = "noise_ns"
      case isBeyondNoise = "beyond_noise"
    }
  }

  /// A count that differs.
  public struct Change: Encodable, Sendable {
    /// What was counted.
    public let name: String
    /// The earlier count.
    public let before: Int
    /// The count of this measurement.
    public let now: Int
    /// Whether the count has grown.
    public var isRegression: Bool { now > before }
  }

  /// The commands and parts that both measurements have.
  public let latencies: [Row]
  /// The counts that differ: of each tap, and of each command in a tap.
  public let counts: [Change]

  /// Compares two measurements.
  ///
  /// - Throws: `BenchmarkError` when they are of different cards or links.
  public init(_ report: BenchmarkReport, with earlier: BenchmarkReport) throws(BenchmarkError) {
    guard report.link == earlier.link, report.card == earlier.card else {
      throw BenchmarkError(
        description: """
          the earlier measurement is of \(earlier.card ?? "a card") over \(earlier.link), and this one of \
          \(report.card ?? "a card") over \(report.link): times of different links or cards cannot be compared
          """)
    }
    let old = earlier.commands + earlier.parts
    latencies = (report.commands + report.parts).compactMap { row in
      old.first { $0.command == row.command }.map { Row(row, $0) }
    }
    let names = report.counts.map(\.name)
    counts = names.compactMap { name in
      let value = { (report: BenchmarkReport) in report.counts.first { $0.name == name }?.value ?? 0 }
      let (before, now) = (value(earlier), value(report))
      return before == now ? nil : Change(name: name, before: before, now: now)
    }
  }

  /// Whether a count has grown. Times are never a regression: they depend on what else the machine does.
  public var isRegression: Bool { counts.contains(where: \.isRegression) }

  /// The comparison in words.
  public var lines: [String] {
    latencies.map(\.line)
      + counts.map { "each tap: \($0.name) \($0.before) -> \($0.now)\($0.isRegression ? ", a regression" : "")" }
  }
}

extension BenchmarkComparison.Row {
  fileprivate init(_ row: LatencyRow, _ earlier: LatencyRow) {
    (command, before, now) = (row.command, earlier.p50, row.p50)
    noise = row.noise + earlier.noise
    isBeyondNoise = abs(row.p50 - earlier.p50) > noise
  }

  fileprivate var line: String {
    let change = before == 0 ? 0 : (now - before) * 100 / before
    let verdict = isBeyondNoise ? "\(now > before ? "slower" : "faster"), beyond" : "within"
    return
      "\(command): p50 \(before) -> \(now) ns (\(change > 0 ? "+" : "")\(change) %), \(verdict) the noise of \(noise) ns"
  }
}

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
  /// The verdicts on times; nil when the times of both were not kept.
  public let times: PairedTimes?

  /// Compares two measurements.
  ///
  /// - Parameter times: The verdicts on their times.
  /// - Throws: `BenchmarkError` when they are of different cards or links.
  public init(
    _ report: BenchmarkReport, with earlier: BenchmarkReport, times: PairedTimes? = nil
  ) throws(BenchmarkError) {
    guard report.link == earlier.link, report.card == earlier.card else {
      throw BenchmarkError(
        description: """
          the earlier measurement is of \(earlier.card ?? "a card") over \(earlier.link), and this one of \
          \(report.card ?? "a card") over \(report.link): times of different links or cards cannot be compared
          """)
    }
    self.init(of: report, with: earlier, times: times)
  }

  /// Compares two measurements of any subjects, such as two cards.
  public init(of report: BenchmarkReport, with earlier: BenchmarkReport, times: PairedTimes?) {
    self.times = times
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

  /// Whether a count has grown. Medians are never a regression: they depend on what else the machine does.
  public var isRegression: Bool { counts.contains(where: \.isRegression) }

  /// Whether the whole tap is slower by more than the tolerance.
  public var isSlower: Bool { times?.whole?.verdict == .slower }

  /// The comparison in words. The medians of subjects that were measured in turns are left out: they are those of the last
  /// round only.
  public var lines: [String] {
    (times?.isInTurns == true ? [] : latencies.map(\.line))
      + counts.map { "each tap: \($0.name) \($0.before) -> \($0.now)\($0.isRegression ? ", a regression" : "")" }
      + (times?.lines ?? [])
  }
}

extension BenchmarkComparison.Row {
  fileprivate init(_ row: LatencyRow, _ earlier: LatencyRow) {
    (command, before, now) = (row.command, earlier.times.p50, row.times.p50)
    noise = row.noise + earlier.noise
    isBeyondNoise = abs(now - before) > noise
  }

  fileprivate var line: String {
    let change = before == 0 ? 0 : (now - before) * 100 / before
    let verdict = isBeyondNoise ? "\(now > before ? "slower" : "faster"), beyond" : "within"
    return
      "\(command): p50 \(before) -> \(now) ns (\(change > 0 ? "+" : "")\(change) %), \(verdict) the noise of \(noise) ns"
  }
}

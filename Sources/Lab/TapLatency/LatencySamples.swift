/// Every time of one command, or of the whole tap, in the order in which they were measured. None is left out.
public struct LatencySamples: Codable, Hashable, Sendable {
  /// The command, or `whole tap`.
  public let command: String
  /// The times in nanoseconds.
  public let nanoseconds: [Int64]

  private enum CodingKeys: String, CodingKey {
    case command
    case nanoseconds = "ns"
  }

  /// Creates samples.
  public init(command: String, nanoseconds: [Int64]) { (self.command, self.nanoseconds) = (command, nanoseconds) }
}

/// A measurement with all of its times, as it is kept for later comparisons.
public struct SavedBenchmark: Codable, Sendable {
  /// The percentiles.
  public let report: BenchmarkReport
  /// The times; empty in a result that an earlier version saved.
  public let samples: [LatencySamples]

  private enum CodingKeys: String, CodingKey {
    case samples
  }

  /// Keeps a measurement.
  public init(_ result: BenchmarkResult) { (report, samples) = (result.report, result.samples) }

  /// Reads a saved measurement.
  public init(from decoder: any Decoder) throws {
    report = try BenchmarkReport(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    samples = try container.decodeIfPresent([LatencySamples].self, forKey: .samples) ?? []
  }

  /// Writes the times beside the report.
  public func encode(to encoder: any Encoder) throws {
    try report.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(samples, forKey: .samples)
  }

  /// The times as comma-separated values with a line of names: `command,number,ns`.
  public var commaSeparated: String {
    "command,number,ns\n"
      + samples.map { row in
        row.nanoseconds.enumerated().map { "\(row.command),\($0.offset + 1),\($0.element)\n" }.joined()
      }.joined()
  }
}

/// The percentiles of one command, or of one part of a tap, in nanoseconds.
public struct LatencyRow: Codable, Equatable, Sendable {
  /// The command, such as `READ RECORD`, or the part of a tap.
  public let command: String
  /// The number of times that were measured.
  public let count: Int
  /// The shortest time.
  public let minimum: Int64
  /// The median.
  public let p50: Int64
  /// The time that 90 % did not exceed.
  public let p90: Int64
  /// The time that 99 % did not exceed.
  public let p99: Int64
  /// The time that 99.9 % did not exceed.
  public let p999: Int64
  /// The longest time.
  public let maximum: Int64
  /// The part of the time of the whole taps, 0...1.
  public let share: Double
  /// How far the median varied within the measurement: the range of the medians of ten consecutive parts, or of all
  /// times when there are fewer than 20.
  public let noise: Int64

  private enum CodingKeys: String, CodingKey {
    case command, count, share
    case minimum = "min_ns"
    case p50 = "p50_ns"
    case p90 = "p90_ns"
    case p99 = "p99_ns"
    case p999 = "p999_ns"
    case maximum = "max_ns"
    case noise = "noise_ns"
  }

  /// Nil without times.
  init?(_ samples: Samples, share: Double) {
    let sorted = samples.nanoseconds.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    // The nearest rank: the smallest value that this share of all values does not exceed.
    let at = { (permille: Int) in sorted[max(0, (sorted.count * permille + 999) / 1000 - 1)] }
    command = samples.name
    count = sorted.count
    (minimum, maximum) = (first, last)
    (p50, p90, p99, p999) = (at(500), at(900), at(990), at(999))
    // A clock that counts in large steps can measure 0.
    self.share = share.isFinite ? share : 0
    noise = Self.noise(of: samples.nanoseconds)
  }

  private static func noise(of times: [Int64]) -> Int64 {
    let size = times.count < 20 ? 1 : times.count / 10
    let medians = stride(from: 0, to: times.count - size + 1, by: size).map { start in
      times[start..<start + size].sorted()[size / 2]
    }
    return (medians.max() ?? 0) - (medians.min() ?? 0)
  }
}

/// The times of one command, or of one part of a tap.
public struct LatencyRow: Codable, Equatable, Sendable {
  /// The command, such as `READ RECORD`, or the part of a tap.
  public let command: String
  /// How the times are distributed.
  public let times: Percentiles
  /// The part of the time of the whole taps, 0...1.
  public let share: Double
  /// How far the median varied within the measurement, in nanoseconds: the range of the medians of ten consecutive parts, or
  /// of all times when there are fewer than 20.
  public let noise: Int64

  private enum CodingKeys: String, CodingKey {
    case command, share
    case noise = "noise_ns"
  }

  /// Nil without times.
  init?(_ samples: Samples, share: Double) {
    guard let times = Percentiles(of: samples.nanoseconds) else { return nil }
    command = samples.name
    self.times = times
    // A clock that counts in large steps can measure 0.
    self.share = share.isFinite ? share : 0
    noise = Self.noise(of: samples.nanoseconds)
  }

  /// Reads a row of a saved measurement.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    command = try container.decode(String.self, forKey: .command)
    times = try Percentiles(from: decoder)
    share = try container.decode(Double.self, forKey: .share)
    noise = try container.decode(Int64.self, forKey: .noise)
  }

  /// Writes the percentiles beside the other values.
  public func encode(to encoder: any Encoder) throws {
    try times.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(command, forKey: .command)
    try container.encode(share, forKey: .share)
    try container.encode(noise, forKey: .noise)
  }

  private static func noise(of times: [Int64]) -> Int64 {
    let size = times.count < 20 ? 1 : times.count / 10
    let medians = stride(from: 0, to: times.count - size + 1, by: size).map { start in
      times[start..<start + size].sorted()[size / 2]
    }
    return (medians.max() ?? 0) - (medians.min() ?? 0)
  }
}

internal import Glibc

/// Whether the present subject is slower or faster than the earlier one, by rounds that were measured in turns.
///
/// Each round is one logarithm of a ratio. The verdict follows from the 99 % interval of their median, not from the median.
public struct PairedComparison: Hashable, Sendable {
  /// What the rounds show.
  public enum Verdict: String, Sendable, Codable {
    /// The whole interval is below the tolerance.
    case faster
    /// The whole interval is above the tolerance.
    case slower
    /// A part of the interval is within the tolerance.
    case notToldApart = "not told apart"
  }

  /// The least number of rounds: the 99 % interval of a median needs 8.
  public static let leastRounds = 10
  /// The confidence of the interval.
  public static let confidence = 0.99

  /// What was compared, such as `whole tap`.
  public let name: String
  /// The rounds.
  public let rounds: [PairedRounds.Round]
  /// The median of the ratios of the present time to the earlier one.
  public let ratio: Double
  /// The interval of that median.
  public let interval: ClosedRange<Double>
  /// The difference that does not matter, such as 0.05 for 5 %.
  public let tolerance: Double
  /// What the rounds show.
  public let verdict: Verdict

  /// Compares.
  ///
  /// - Parameter tolerance: 0 or more.
  /// - Returns: Nil for fewer rounds than `leastRounds`.
  public init?(_ name: String, _ rounds: PairedRounds, tolerance: Double) {
    // A clock that counts in large steps can measure 0.
    let ratios = rounds.rounds.map { log(Double(max($0.now, 1)) / Double(max($0.before, 1))) }
    guard ratios.count >= Self.leastRounds,
      let median = MedianInterval(of: ratios, confidence: Self.confidence)
    else { return nil }
    (self.name, self.rounds, self.tolerance) = (name, rounds.rounds, tolerance)
    ratio = exp(median.median)
    interval = exp(median.bounds.lowerBound)...exp(median.bounds.upperBound)
    let limit = log(1 + tolerance)
    verdict =
      median.bounds.lowerBound > limit ? .slower : median.bounds.upperBound < -limit ? .faster : .notToldApart
  }

  /// The smallest slowdown that these rounds could have shown: the tolerance and the lower half of the interval.
  public var detectable: Double { (1 + tolerance) * ratio / interval.lowerBound - 1 }

  /// The comparison in words.
  public var line: String {
    let ends = "99 % interval \(Self.percent(interval.lowerBound - 1)) to \(Self.percent(interval.upperBound - 1))"
    let size = tolerance > 0 ? " by more than \(Self.percent(tolerance, isSigned: false))" : ""
    let judged = verdict == .notToldApart ? "not told apart" : "\(verdict.rawValue)\(size)"
    return """
      \(name): \(judged), median \(Self.percent(ratio - 1)) (\(ends), \(rounds.count) rounds; from \
      \(Self.percent(detectable)) on a slowdown would have been seen)
      """
  }

  /// Such as `+5.2 %`.
  private static func percent(_ part: Double, isSigned: Bool = true) -> String {
    let tenths = Int64((min(max(part, -1), 1_000_000) * 1_000).rounded())
    let sign = tenths < 0 ? "-" : isSigned ? "+" : ""
    return "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10) %"
  }
}

extension PairedComparison: Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, rounds, ratio, tolerance, verdict, detectable
    case least = "least_ratio"
    case most = "most_ratio"
  }

  /// Writes the verdict with every round.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(rounds, forKey: .rounds)
    try container.encode(ratio, forKey: .ratio)
    try container.encode(interval.lowerBound, forKey: .least)
    try container.encode(interval.upperBound, forKey: .most)
    try container.encode(tolerance, forKey: .tolerance)
    try container.encode(verdict, forKey: .verdict)
    try container.encode(detectable, forKey: .detectable)
  }
}

internal import Glibc

/// The interval of a median by the bootstrap: the medians of all samples that can be drawn, with replacement, from the values.
///
/// The distribution of these medians is known exactly (Maritz and Jarrett 1978), so that nothing is drawn at random: it is that
/// of infinitely many resamples.
struct MedianInterval {
  let median: Double
  let bounds: ClosedRange<Double>

  /// Nil without values.
  ///
  /// - Parameter confidence: Such as 0.99.
  init?(of values: [Double], confidence: Double) {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return nil }
    let tail = (1 - confidence) / 2
    let rank = { (share: Double) in
      sorted.indices.first { Self.share(notAbove: $0, of: sorted.count) >= share } ?? sorted.count - 1
    }
    median = sorted[sorted.count / 2]
    bounds = sorted[rank(tail)]...sorted[rank(1 - tail)]
  }

  /// The share of all samples whose median is at most the value at an index: those with more than half of their values there.
  private static func share(notAbove index: Int, of count: Int) -> Double {
    let (part, needed) = (Double(index + 1) / Double(count), count / 2 + 1)
    guard part < 1 else { return 1 }
    return (needed...count).reduce(0) { $0 + probability($1, of: count, part) }
  }

  /// The probability of some successes in a number of trials.
  private static func probability(_ successes: Int, of trials: Int, _ part: Double) -> Double {
    let (all, hits) = (Double(trials), Double(successes))
    let ways = lgamma(all + 1) - lgamma(hits + 1) - lgamma(all - hits + 1)
    return exp(ways + hits * log(part) + (all - hits) * log(1 - part))
  }
}

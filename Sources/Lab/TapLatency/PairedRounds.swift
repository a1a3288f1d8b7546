/// Two subjects that were measured in turns: in each round one time of the earlier one and one of the present one.
public struct PairedRounds: Hashable, Sendable {
  /// The subject that is measured.
  public enum Side: Sendable {
    /// The earlier build, the other card or the other reader.
    case before
    /// The present one.
    case now
  }

  /// One round, in nanoseconds.
  public struct Round: Hashable, Sendable, Codable {
    /// The time of the earlier subject.
    public let before: Int64
    /// The time of the present one.
    public let now: Int64

    private enum CodingKeys: String, CodingKey {
      case before = "before_ns"
      case now = "now_ns"
    }

    /// Creates a round.
    public init(before: Int64, now: Int64) { (self.before, self.now) = (before, now) }
  }

  /// The rounds in the order in which they were measured.
  public let rounds: [Round]

  /// Creates rounds that were measured before.
  public init(_ rounds: [Round]) { self.rounds = rounds }

  /// The order of a round: the earlier subject first, then last, so that neither has the better place.
  public static func order(ofRound round: Int) -> [Side] { round % 2 == 0 ? [.before, .now] : [.now, .before] }

  /// Makes rounds of two series of times that were measured one after the other: medians of consecutive parts of equal
  /// length. A machine that became slower between the series looks like a slower subject.
  ///
  /// - Parameter count: The largest number of rounds.
  public init(before: [Int64], now: [Int64], count: Int) {
    let count = min(count, before.count, now.count)
    let medians = { (times: [Int64]) in
      (0..<count).map { part in
        let (start, end) = (times.count * part / count, times.count * (part + 1) / count)
        return times[start..<end].sorted()[(end - start) / 2]
      }
    }
    rounds = zip(medians(before), medians(now)).map { Round(before: $0, now: $1) }
  }
}

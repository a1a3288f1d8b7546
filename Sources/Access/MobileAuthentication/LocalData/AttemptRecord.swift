/// The wrong entries so far and the moment of the last one: the rule against guessing, as a pure state machine.
///
/// ```
/// wrong entries | entries are ignored for | state
/// --------------+-------------------------+------------------
/// 0             | -                       | unlocked
/// 1, 2          | 0 s                     | last attempt failed
/// 3             | 60 s                    | last attempt failed
/// 4             | 180 s                   | last attempt failed
/// 5             | for good                | locked out
/// ```
///
/// An entry is counted as wrong before it is compared (`begin`), so that a process that ends in between cannot try again
/// for free. A wrong entry starts its cool-down when the comparison ends (`fail`); a right one takes the count back
/// (`succeed`). An entry during a cool-down is not counted.
public struct AttemptRecord: Equatable, Sendable {
  /// The wrong entry that locks the authenticator.
  public static let limit = 5

  /// Wrong entries since the last right one, 0...5.
  public private(set) var failures = 0
  /// The moment of the last wrong entry; nil without one.
  public private(set) var lastFailure: TimeMark?

  /// Creates a record without a wrong entry.
  public init() {}

  /// Creates a record with wrong entries. Numbers outside 1...5 trap.
  public init(failures: Int, lastFailure: TimeMark) {
    precondition((1...Self.limit).contains(failures), "\(failures) wrong entries: the range is 1...\(Self.limit)")
    self.failures = failures
    self.lastFailure = lastFailure
  }

  /// For how long entries are ignored after so many wrong ones.
  public static func coolDown(afterFailures count: Int) -> Duration {
    switch count {
    case ..<3: .zero
    case 3: .seconds(60)
    default: .seconds(180)
    }
  }

  /// What the wrong entries mean at a moment.
  public func status(at now: TimeMark) -> ProtectionStatus {
    guard failures < Self.limit else { return .lockedOut }
    guard failures > 0, let lastFailure else { return .unlocked }
    let rest = Self.coolDown(afterFailures: failures) - now.elapsed(since: lastFailure)
    return .lastAttemptFailed(remainingRetries: Self.limit - failures, coolDown: max(rest, .zero))
  }

  /// Whether an entry is compared.
  enum Admission: Equatable {
    /// The entry is counted as wrong and must be compared now.
    case admitted
    /// The entry is ignored: a cool-down lasts.
    case ignored
    /// No entry is ever compared again.
    case lockedOut
  }

  /// Receives an entry.
  mutating func begin(at now: TimeMark) -> Admission {
    switch status(at: now) {
    case .lockedOut: return .lockedOut
    case .lastAttemptFailed(_, let coolDown) where coolDown > .zero: return .ignored
    case .unlocked, .lastAttemptFailed:
      failures += 1
      lastFailure = now
      return .admitted
    }
  }

  /// The admitted entry was wrong: its cool-down begins now, after the comparison.
  mutating func fail(at now: TimeMark) { lastFailure = now }

  /// The admitted entry was right: all wrong entries are forgotten.
  mutating func succeed() { self = AttemptRecord() }
}

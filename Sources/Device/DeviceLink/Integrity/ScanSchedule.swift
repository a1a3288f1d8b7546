internal import Octets

/// Decides when a process is scanned: for a use of a key unless a result is recent, and at random moments.
struct ScanSchedule: Equatable {
  /// How old the result for a use of a key may be.
  static let validity = Duration.seconds(1)
  /// The age of a result that starts the next scan beside it.
  static let refreshAge = Duration.milliseconds(500)
  /// The least time between two scans at random moments.
  static let shortestInterval = Duration.milliseconds(300)
  /// The most time between two scans at random moments: a change of the process is found within 1 s, the scan included.
  static let longestInterval = Duration.milliseconds(900)

  /// The start of the last scan; nil before the first one.
  private(set) var last: Instant?

  /// Whether a use of a key at an instant needs a new scan.
  func needsScan(at now: Instant) -> Bool { last.map { now - $0 > Self.validity } ?? true }

  /// Whether a result is so old at an instant that the next scan starts before it is needed.
  func isAged(at now: Instant) -> Bool { last.map { now - $0 > Self.refreshAge } ?? true }

  /// Records a scan by the instant of its start.
  mutating func scanned(at start: Instant) { last = max(start, last ?? start) }

  /// The time until the next scan at a random moment.
  ///
  /// - Parameter random: Any number; each gives an interval of equal probability.
  static func interval(_ random: UInt32) -> Duration {
    shortestInterval + (longestInterval - shortestInterval) * Int64(random) / Int64(UInt32.max)
  }
}

/// A point in time of a monotonic clock, in nanoseconds since an origin that each clock chooses. Never a date.
///
/// Links give every command the instant of its arrival; limits compare instants.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// Creates an instant.
  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Whether the first instant is earlier.
  @inlinable
  public static func < (first: Instant, second: Instant) -> Bool { first.nanoseconds < second.nanoseconds }

  /// The instant after a duration. Saturates, so that a limit of unlimited length is never in the past.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    Instant(nanoseconds: instant.nanoseconds.addingSaturating(duration.nanoseconds))
  }

  /// The time from the second instant to the first one, exact for every distance.
  public static func - (first: Instant, second: Instant) -> Duration {
    .nanoseconds(first.nanoseconds) - .nanoseconds(second.nanoseconds)
  }
}

extension Duration {
  /// The whole duration in nanoseconds; saturates at about 292 years.
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    return whole.addingSaturating(attoseconds / 1_000_000_000)
  }
}

extension Int64 {
  fileprivate func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    guard overflow else { return sum }
    return other < 0 ? .min : .max
  }
}

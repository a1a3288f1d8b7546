import Glibc

/// A moment in UTC as seconds and milliseconds since 1970-01-01 00:00:00. For dates that people and issuers set, such
/// as the expiry of a key; the limits of a session use `Instant`. `CalendarTime` has its date and time of day.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Seconds since 1970 without leap seconds.
  public let seconds: Int64

  /// Milliseconds after the second, 0...999.
  public let milliseconds: Int

  /// Creates a moment. Traps when the milliseconds are outside 0...999.
  public init(seconds: Int64, milliseconds: Int = 0) {
    precondition((0...999).contains(milliseconds), "\(milliseconds) ms: the range is 0...999")
    self.seconds = seconds
    self.milliseconds = milliseconds
  }

  /// Whether the first moment is earlier.
  public static func < (first: WallTime, second: WallTime) -> Bool {
    (first.seconds, first.milliseconds) < (second.seconds, second.milliseconds)
  }
}

/// The port from which all code takes the date. A user can set the date forward and back, so nothing that must be
/// unique depends on it.
public protocol WallClock: Sendable {
  /// The present moment.
  var now: WallTime { get }
}

/// The machine's date and time (`CLOCK_REALTIME`).
public struct SystemWallClock: WallClock {
  /// Creates the clock.
  public init() {}

  /// The present moment.
  public var now: WallTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(seconds: Int64(time.tv_sec), milliseconds: Int(time.tv_nsec) / 1_000_000)
  }
}

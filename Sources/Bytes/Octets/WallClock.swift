import Glibc
import Synchronization

/// A moment on the calendar: whole seconds since 1970-01-01 00:00:00 UTC. For what people and issuers date, such as the
/// expiry of a key; limits of a session take `Instant`.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Seconds since 1970, leap seconds left out.
  public let seconds: Int64

  /// Creates a moment.
  public init(seconds: Int64) {
    self.seconds = seconds
  }

  /// Whether the left moment is earlier.
  public static func < (left: WallTime, right: WallTime) -> Bool { left.seconds < right.seconds }
}

/// The port through which the date is taken. It can be set, forward and back, so nothing that must not repeat rests on
/// it.
public protocol WallClock: Sendable {
  /// The present moment.
  var now: WallTime { get }
}

/// The machine's date (`CLOCK_REALTIME`).
public struct SystemWallClock: WallClock {
  /// Creates the clock.
  public init() {}

  /// The present moment.
  public var now: WallTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(seconds: Int64(time.tv_sec))
  }
}

/// A date that changes only when a test sets it.
public final class ManualWallClock: WallClock {
  private let state: Mutex<WallTime>

  /// Creates a clock that stands at a moment.
  public init(at start: WallTime = WallTime(seconds: 0)) {
    state = Mutex(start)
  }

  /// The moment at which the clock stands.
  public var now: WallTime { state.withLock { $0 } }

  /// Sets the clock, forward or back.
  public func set(_ moment: WallTime) { state.withLock { $0 = moment } }
}

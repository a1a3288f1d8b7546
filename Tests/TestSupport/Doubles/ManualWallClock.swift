public import Octets
import Synchronization

/// A clock that only a test sets.
public final class ManualWallClock: WallClock {
  private let state: Mutex<WallTime>

  /// Creates a clock that shows a moment.
  public init(at start: WallTime = WallTime(seconds: 0)) {
    state = Mutex(start)
  }

  /// The moment that the clock shows.
  public var now: WallTime { state.withLock { $0 } }

  /// Sets the clock, forward or back.
  public func set(_ moment: WallTime) { state.withLock { $0 = moment } }
}

public import Octets
import Synchronization

/// A clock that a test sets. It stands still there, or goes on with the clock of the system.
public final class ManualWallClock: WallClock {
  private struct State {
    var moment: WallTime
    /// The moment of the system's clock at which the clock was set.
    var since: WallTime
  }

  private let state: Mutex<State>
  private let isRunning: Bool

  /// Creates a clock that shows a moment.
  public init(at start: WallTime = WallTime(seconds: 0), isRunning: Bool = false) {
    state = Mutex(State(moment: start, since: SystemWallClock().now))
    self.isRunning = isRunning
  }

  /// The moment that the clock shows.
  public var now: WallTime {
    state.withLock { state in
      guard isRunning else { return state.moment }
      let time =
        state.moment.epochMilliseconds + SystemWallClock().now.epochMilliseconds - state.since.epochMilliseconds
      return WallTime(seconds: time / 1_000, milliseconds: Int(time % 1_000))
    }
  }

  /// Sets the clock, forward or back.
  public func set(_ moment: WallTime) { state.withLock { $0 = State(moment: moment, since: SystemWallClock().now) } }
}

extension WallTime {
  fileprivate var epochMilliseconds: Int64 { seconds * 1_000 + Int64(milliseconds) }
}

import Glibc

/// The port from which all code takes elapsed time. For dates see `WallClock`.
public protocol MonotonicClock: Sendable {
  /// The present instant.
  var now: Instant { get }
  /// Suspends until an instant.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func sleep(until instant: Instant) async throws
}

/// The machine's clock. It also counts the time in which the machine is suspended (`CLOCK_BOOTTIME`).
public struct SystemClock: MonotonicClock {
  /// Creates the clock.
  public init() {}

  /// The present instant.
  public var now: Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Suspends until an instant.
  public func sleep(until instant: Instant) async throws {
    try Task.checkCancellation()
    if instant > now { try await SystemTimer.process.sleep(until: instant) }
  }
}

/// A clock that only a test advances.
public final class ManualClock: MonotonicClock {
  private let queue: SleepQueue

  /// Creates a clock that shows an instant.
  public init(at start: Instant = Instant(nanoseconds: 0)) {
    queue = SleepQueue(at: start)
  }

  /// The instant that the clock shows.
  public var now: Instant { queue.now }

  /// The number of tasks that sleep until a later instant.
  public var sleeperCount: Int { queue.count }

  /// Advances the clock and resumes the tasks whose instant has come. A negative duration traps.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a monotonic clock cannot go back by \(duration.text)")
    queue.advance { $0 + duration }
  }

  /// Suspends until the clock has been advanced to an instant.
  public func sleep(until instant: Instant) async throws { try await queue.sleep(until: instant) }
}

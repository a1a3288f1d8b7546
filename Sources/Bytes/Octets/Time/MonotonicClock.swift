import Glibc

/// The port from which all code takes elapsed time. For dates see `WallClock`.
public protocol MonotonicClock: Sendable {
  /// The present instant.
  var now: Instant { get }
  /// Suspends until an instant.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func sleep(until instant: Instant) async throws
  /// Calls a function at an instant, once; in this call when the instant has come. The function must not block: it may
  /// run on the thread that serves all timers. There is a default implementation, with a task that sleeps; the clocks of
  /// this module need no task, which takes 2 KiB for as long as it sleeps.
  func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall
}

extension MonotonicClock {
  /// Calls a function at an instant, from a task that sleeps until then.
  public func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall {
    ScheduledCall(Task.immediate { if (try? await sleep(until: instant)) != nil { function() } })
  }
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
    if instant > now { try await SystemTimer.process.queue.sleep(until: instant) }
  }

  /// Calls a function at an instant, on the thread that serves all timers of the process.
  public func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall {
    SystemTimer.process.queue.call(at: instant, function)
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

  /// The number of tasks that sleep until a later instant and of calls that wait for one.
  public var sleeperCount: Int { queue.count }

  /// Advances the clock and resumes the tasks whose instant has come. A negative duration traps.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a monotonic clock cannot go back by \(duration.text)")
    queue.advance { $0 + duration }
  }

  /// Suspends until the clock has been advanced to an instant.
  public func sleep(until instant: Instant) async throws { try await queue.sleep(until: instant) }

  /// Calls a function when the clock is advanced to an instant, from that call of `advance`.
  public func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall {
    queue.call(at: instant, function)
  }
}

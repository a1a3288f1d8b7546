import Glibc
import Synchronization

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
    let rest = instant - now
    if rest > .zero { try await Task.sleep(for: rest) }
  }
}

/// A clock that only a test advances.
public final class ManualClock: MonotonicClock {
  private struct Sleeper {
    let wakes: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Instant
    var nextKey: UInt64 = 0
    var sleepers: [UInt64: Sleeper] = [:]
    var cancelled: Set<UInt64> = []
  }

  private let state: Mutex<State>

  /// Creates a clock that shows an instant.
  public init(at start: Instant = Instant(nanoseconds: 0)) {
    state = Mutex(State(now: start))
  }

  /// The instant that the clock shows.
  public var now: Instant { state.withLock { $0.now } }

  /// The number of tasks that sleep until a later instant.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Advances the clock and resumes the tasks whose instant has come. A negative duration traps.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a monotonic clock cannot go back by \(duration.text)")
    let due = state.withLock { state in
      state.now = state.now + duration
      let keys = state.sleepers.filter { $0.value.wakes <= state.now }.map(\.key)
      return keys.compactMap { state.sleepers.removeValue(forKey: $0)?.continuation }
    }
    for continuation in due { continuation.resume() }
  }

  /// Suspends until the clock has been advanced to an instant.
  public func sleep(until instant: Instant) async throws {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        enlist(Sleeper(wakes: instant, continuation: continuation), key)
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        if let sleeper = state.sleepers.removeValue(forKey: key) { return sleeper }
        state.cancelled.insert(key)
        return nil
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  private func enlist(_ sleeper: Sleeper, _ key: UInt64) {
    enum Verdict { case waits, due, cancelled }
    let verdict = state.withLock { state -> Verdict in
      if state.cancelled.remove(key) != nil { return .cancelled }
      if sleeper.wakes <= state.now { return .due }
      state.sleepers[key] = sleeper
      return .waits
    }
    switch verdict {
    case .waits: break
    case .due: sleeper.continuation.resume()
    case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
    }
  }
}

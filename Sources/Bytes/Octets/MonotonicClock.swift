import Glibc
import Synchronization

/// The port through which everything takes its time.
public protocol MonotonicClock: Sendable {
  /// The present instant.
  var now: Instant { get }
  /// Suspends until an instant has come.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  func sleep(until instant: Instant) async throws
}

/// The machine's clock, which goes on while the machine sleeps (`CLOCK_BOOTTIME`).
public struct SystemClock: MonotonicClock {
  /// Creates the clock.
  public init() {}

  /// The present instant.
  public var now: Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Suspends until an instant has come.
  public func sleep(until instant: Instant) async throws {
    let rest = instant - now
    if rest > .zero { try await Task.sleep(for: rest) }
  }
}

/// A clock that moves only when a test moves it.
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

  /// Creates a clock that stands at an instant.
  public init(at start: Instant = Instant(nanoseconds: 0)) {
    state = Mutex(State(now: start))
  }

  /// The instant at which the clock stands.
  public var now: Instant { state.withLock { $0.now } }

  /// How many tasks wait for the clock to move.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Moves the clock forward and wakes whoever is due. A negative duration traps.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a monotonic clock never goes back")
    let due = state.withLock { state in
      state.now = state.now + duration
      let keys = state.sleepers.filter { $0.value.wakes <= state.now }.map(\.key)
      return keys.compactMap { state.sleepers.removeValue(forKey: $0)?.continuation }
    }
    for continuation in due { continuation.resume() }
  }

  /// Suspends until the clock has been moved to an instant.
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

internal import Octets
internal import Synchronization

/// A check that may take long: callers wait for it no longer than a limit, and share one run of it and its recent result. However often a stopped
/// database is asked for, one check waits for it.
final class BoundedCheck<Value: Sendable>: Sendable {
  private struct State {
    var isRunning = false
    var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
    var next = 0
    var last: (value: Value, at: Instant)?
  }

  private let limit: Duration
  private let clock: any MonotonicClock
  private let body: @Sendable () async -> Value
  private let state = Mutex(State())

  init(limit: Duration, clock: any MonotonicClock = SystemClock(), _ body: @escaping @Sendable () async -> Value) {
    (self.limit, self.clock, self.body) = (limit, clock, body)
  }

  /// Returns the result of the check; nil when it takes longer than the limit.
  ///
  /// - Parameter age: How old a result may be that is returned without another run.
  func outcome(reusing age: Duration = .zero) async -> Value? {
    let now = clock.now
    if let last = state.withLock(\.last), now - last.at < age { return last.value }
    return await withCheckedContinuation { continuation in
      let (number, mustStart) = state.withLock { state in
        defer {
          state.waiting[state.next] = continuation
          state.next += 1
          state.isRunning = true
        }
        return (state.next, !state.isRunning)
      }
      if mustStart { Task { finish(await body()) } }
      Task {
        try? await Task.sleep(for: limit)
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: nil)
      }
    }
  }

  private func finish(_ value: Value) {
    let now = clock.now
    let waiting = state.withLock { state in
      defer {
        state.last = (value, now)
        state.waiting = [:]
        state.isRunning = false
      }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }
}

internal import Synchronization

/// A check that may take long: callers wait for it no longer than a limit, and share one run of it. However often a stopped
/// database is asked for, one check waits for it.
final class BoundedCheck<Value: Sendable>: Sendable {
  private struct State {
    var isRunning = false
    var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
    var next = 0
  }

  private let limit: Duration
  private let body: @Sendable () async -> Value
  private let state = Mutex(State())

  init(limit: Duration, _ body: @escaping @Sendable () async -> Value) { (self.limit, self.body) = (limit, body) }

  /// Returns the result of the check; nil when it takes longer than the limit.
  func outcome() async -> Value? {
    await withCheckedContinuation { continuation in
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
    let waiting = state.withLock { state in
      defer {
        state.waiting = [:]
        state.isRunning = false
      }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }
}

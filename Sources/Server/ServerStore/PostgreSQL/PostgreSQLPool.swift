internal import Dispatch
internal import Synchronization

/// A few connections, each with a thread that blocks in its calls. A transaction gets a free one, or waits for it in
/// the order of requests.
final class PostgreSQLPool: Sendable {
  /// Work on a connection, which the work opens, replaces and closes as it needs.
  typealias Work = @Sendable (inout PostgreSQLSlot) -> Void

  private struct State {
    /// The worker that was used last is the last one, so that few connections are open when there is little to do.
    var idle: [Worker]
    var waiting: ArraySlice<Work> = []
  }

  private final class Worker: Sendable {
    let queue = DispatchQueue(label: "access-database")
    // Only the queue uses it, so it is never waited for.
    let connection = Mutex(PostgreSQLSlot())
  }

  private let state: Mutex<State>

  /// Creates a pool, which opens no connection yet.
  init(size: Int) { state = Mutex(State(idle: (0..<size).map { _ in Worker() })) }

  /// Runs work on a thread of the pool.
  func run(_ work: @escaping Work) {
    let free = state.withLock { state -> Worker? in
      if let worker = state.idle.popLast() { return worker }
      state.waiting.append(work)
      return nil
    }
    if let free { start(work, on: free) }
  }

  private func start(_ work: @escaping Work, on worker: Worker) {
    worker.queue.async { [self] in
      worker.connection.withLock { work(&$0) }
      let next = state.withLock { state -> Work? in
        if let next = state.waiting.popFirst() {
          // A slice would keep the bodies that were taken, with what they captured of the requests.
          if state.waiting.isEmpty { state.waiting = [] }
          return next
        }
        state.idle.append(worker)
        return nil
      }
      if let next { start(next, on: worker) }
    }
  }
}

internal import Synchronization

/// The tasks that sleep on one clock, in the order in which they wake.
final class SleepQueue: Sendable {
  private struct Sleeper {
    let wakes: Instant
    let key: UInt64
    let continuation: CheckedContinuation<Void, any Error>

    func isAfter(_ wakes: Instant, _ key: UInt64) -> Bool { (self.wakes, self.key) > (wakes, key) }
  }

  private struct State {
    var now: Instant
    var lastKey: UInt64 = 0
    /// The next one to wake is the last element.
    var sleepers: [Sleeper] = []
    /// The instant at which `advance` is expected; nil for none. It may be that of a sleeper that was cancelled.
    var announced: Instant?
    /// Cancelled before they were added.
    var cancelled: Set<UInt64> = []

    /// The index at which a sleeper is, or would be added.
    func index(of wakes: Instant, _ key: UInt64) -> Int {
      var range = 0..<sleepers.count
      while let middle = range.middle {
        range = sleepers[middle].isAfter(wakes, key) ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      return range.lowerBound
    }

    mutating func remove(_ wakes: Instant, _ key: UInt64) -> Sleeper? {
      let index = index(of: wakes, key)
      guard index < sleepers.count, sleepers[index].key == key else { return nil }
      return sleepers.remove(at: index)
    }
  }

  private let state: Mutex<State>
  private let nextChanged: @Sendable (Instant) -> Void

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - start: The instant up to which sleepers are woken at once.
  ///   - nextChanged: Called with an instant at which `advance` is needed, when it is needed earlier than was announced
  ///     last. Calls `advance` from another thread, not from this call.
  init(at start: Instant, nextChanged: @escaping @Sendable (Instant) -> Void = { _ in }) {
    state = Mutex(State(now: start))
    self.nextChanged = nextChanged
  }

  /// The instant of the last `advance`.
  var now: Instant { state.withLock(\.now) }

  /// The number of tasks that sleep.
  var count: Int { state.withLock(\.sleepers.count) }

  /// Sets the instant and resumes the tasks whose instant has come.
  ///
  /// - Parameter next: Returns the new instant from the present one. An earlier instant resumes nothing.
  func advance(_ next: (Instant) -> Instant) {
    let due = state.withLock { state in
      state.now = next(state.now)
      let waiting = state.index(of: state.now, .max)
      let due = state.sleepers[waiting...].reversed().map(\.continuation)
      state.sleepers.removeSubrange(waiting...)
      state.announced = state.sleepers.last?.wakes
      if let next = state.announced { nextChanged(next) }
      return due
    }
    for continuation in due { continuation.resume() }
  }

  /// Suspends until the queue has been advanced to an instant.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func sleep(until instant: Instant) async throws {
    let key = state.withLock { state in
      state.lastKey += 1
      return state.lastKey
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Sleeper(wakes: instant, key: key, continuation: continuation))
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        if let sleeper = state.remove(instant, key) { return sleeper }
        state.cancelled.insert(key)
        return nil
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    // The cancellation of a task that was resumed meanwhile has no effect.
    state.withLock { state in _ = state.cancelled.remove(key) }
  }

  private func add(_ sleeper: Sleeper) {
    enum Verdict { case waits, due, cancelled }
    let verdict = state.withLock { state -> Verdict in
      if state.cancelled.remove(sleeper.key) != nil { return .cancelled }
      if sleeper.wakes <= state.now { return .due }
      state.sleepers.insert(sleeper, at: state.index(of: sleeper.wakes, sleeper.key))
      if state.announced.map({ sleeper.wakes < $0 }) ?? true {
        state.announced = sleeper.wakes
        nextChanged(sleeper.wakes)
      }
      return .waits
    }
    switch verdict {
    case .waits: break
    case .due: sleeper.continuation.resume()
    case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
    }
  }
}

extension Range<Int> {
  /// The element in the middle; nil for an empty range.
  fileprivate var middle: Int? { isEmpty ? nil : lowerBound + count / 2 }
}

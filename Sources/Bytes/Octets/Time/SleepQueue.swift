internal import Synchronization

/// The tasks that sleep on one clock and the calls that it is to make, in the order in which they are due.
final class SleepQueue: Sendable {
  /// What is done when an instant has come.
  private enum Action {
    case resume(CheckedContinuation<Void, any Error>)
    case call(@Sendable () -> Void)

    func perform() {
      switch self {
      case .resume(let continuation): continuation.resume()
      case .call(let function): function()
      }
    }

    func cancel() {
      if case .resume(let continuation) = self { continuation.resume(throwing: CancellationError()) }
    }
  }

  private struct Sleeper {
    let wakes: Instant
    let key: UInt64
    let action: Action

    func isAfter(_ wakes: Instant, _ key: UInt64) -> Bool { (self.wakes, self.key) > (wakes, key) }
  }

  private struct State {
    var now: Instant
    var lastKey: UInt64 = 0
    /// The next one to wake is the last element.
    var sleepers: [Sleeper] = []
    /// The instant at which `advance` is expected; nil for none. It may be that of a sleeper that was cancelled.
    var announced: Instant?
    /// Tasks that were cancelled before they were added.
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

  /// The number of tasks that sleep and of calls that wait.
  var count: Int { state.withLock(\.sleepers.count) }

  /// Sets the instant, resumes the tasks and makes the calls whose instant has come.
  ///
  /// - Parameter next: Returns the new instant from the present one. An earlier instant resumes nothing.
  func advance(_ next: (Instant) -> Instant) {
    let due = state.withLock { state in
      state.now = next(state.now)
      let waiting = state.index(of: state.now, .max)
      let due = state.sleepers[waiting...].reversed().map(\.action)
      state.sleepers.removeSubrange(waiting...)
      state.announced = state.sleepers.last?.wakes
      if let next = state.announced { nextChanged(next) }
      return due
    }
    for action in due { action.perform() }
  }

  /// Calls a function when the queue is advanced to an instant; in this call when it was advanced before.
  func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall {
    let key = newKey()
    add(Sleeper(wakes: instant, key: key, action: .call(function)))
    return ScheduledCall(self, instant, key: key)
  }

  /// Forgets a call.
  func cancelCall(at instant: Instant, _ key: UInt64) { _ = state.withLock { $0.remove(instant, key) } }

  private func newKey() -> UInt64 {
    state.withLock { state in
      state.lastKey += 1
      return state.lastKey
    }
  }

  /// Suspends until the queue has been advanced to an instant.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func sleep(until instant: Instant) async throws {
    let key = newKey()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Sleeper(wakes: instant, key: key, action: .resume(continuation)))
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        if let sleeper = state.remove(instant, key) { return sleeper }
        state.cancelled.insert(key)
        return nil
      }
      sleeper?.action.cancel()
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
    case .due: sleeper.action.perform()
    case .cancelled: sleeper.action.cancel()
    }
  }
}

extension Range<Int> {
  /// The element in the middle; nil for an empty range.
  fileprivate var middle: Int? { isEmpty ? nil : lowerBound + count / 2 }
}

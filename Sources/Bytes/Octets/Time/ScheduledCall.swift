/// A call of a function that a clock makes at an instant, once, unless it is cancelled before.
public struct ScheduledCall: Sendable {
  private enum Place: Sendable {
    case queue(SleepQueue, Instant, key: UInt64)
    case task(Task<Void, Never>)
  }

  private let place: Place

  init(_ queue: SleepQueue, _ instant: Instant, key: UInt64) { place = .queue(queue, instant, key: key) }

  /// Creates a call of a clock that can only sleep.
  init(_ task: Task<Void, Never>) { place = .task(task) }

  /// Cancels the call, unless it has begun. Once is enough: another cancellation has no effect.
  public func cancel() {
    switch place {
    case .queue(let queue, let instant, let key): queue.cancelCall(at: instant, key)
    case .task(let task): task.cancel()
    }
  }
}

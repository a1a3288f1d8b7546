package import Dispatch
internal import Octets
internal import Synchronization

/// A value that threads share under a lock, and for whose changes a thread can block.
///
/// This is the only hand-over between threads in the package: a queue, a result or a command on its way to a card is a
/// value of `State`, and each access is one step under the lock. No call allocates.
package final class WaitableState<State: ~Copyable & Sendable>: Sendable {
  private struct Guarded: ~Copyable, Sendable {
    var state: State
    var waiterCount = 0
  }

  private let guarded: Mutex<Guarded>
  // The number of blocked threads is `waiterCount` plus the signals that no thread has consumed yet. A thread that
  // wakes without need checks its condition again.
  private let changed = DispatchSemaphore(value: 0)

  /// Creates a shared value.
  package init(_ state: consuming State) {
    guarded = Mutex(Guarded(state: state))
  }

  /// Reads the value under the lock.
  package func read<Result: ~Copyable & Sendable>(_ body: (borrowing State) -> Result) -> Result {
    guarded.withLock { guarded in body(guarded.state) }
  }

  /// Changes the value under the lock, and wakes every thread that waits.
  ///
  /// - Throws: What `change` throws; waiting threads wake in that case as well.
  package func update<Result: ~Copyable & Sendable, Failure: Error>(
    _ change: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var waiterCount = 0
    defer { for _ in 0..<waiterCount { changed.signal() } }
    return try guarded.withLock { (guarded) throws(Failure) in
      waiterCount = exchange(&guarded.waiterCount, with: 0)
      return try change(&guarded.state)
    }
  }

  /// Blocks until a condition returns a value.
  ///
  /// - Parameters:
  ///   - limit: How long to wait at most; nil is without a limit, zero checks the condition once.
  ///   - condition: Called under the lock, at once and after every `update`. It may take from the state what it
  ///     returns; that wakes no other thread.
  /// - Returns: The condition's value, or nil when the time is up.
  /// - Throws: What `condition` throws.
  package func wait<Result: ~Copyable & Sendable, Failure: Error>(
    for limit: Duration? = nil, until condition: (inout State) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    let deadline = limit.map(DispatchTime.init(after:)) ?? .distantFuture
    while true {
      let met = try guarded.withLock { (guarded) throws(Failure) -> Result? in
        let met = try condition(&guarded.state)
        if met == nil { guarded.waiterCount += 1 }
        return met
      }
      if let met { return met }
      guard changed.wait(timeout: deadline) == .timedOut else { continue }
      withdraw()
      return try guarded.withLock { (guarded) throws(Failure) in try condition(&guarded.state) }
    }
  }

  /// Takes back what a thread announced that no longer waits: its count, or the signal that came for it.
  private func withdraw() {
    let isSignalled = guarded.withLock { guarded in
      if guarded.waiterCount == 0 { return true }
      guarded.waiterCount -= 1
      return false
    }
    if isSignalled { changed.wait() }
  }
}

extension DispatchTime {
  /// The point in time after a duration; a negative duration is now, one beyond 292 years is the distant future.
  package init(after duration: Duration) {
    let (end, overflow) = DispatchTime.now().uptimeNanoseconds.addingReportingOverflow(
      UInt64(max(duration.nanoseconds, 0)))
    self.init(uptimeNanoseconds: overflow ? .max : end)
  }
}

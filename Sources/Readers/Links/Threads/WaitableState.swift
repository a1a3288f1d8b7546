internal import Glibc

/// A value that threads share under a lock, and for whose changes a thread can block.
///
/// A queue, a result or a command on its way to a card is a value of `State`. Each access is one step under the lock. No
/// call allocates.
///
/// @unchecked: `state` is only accessed while `mutex` is locked.
@safe package final class WaitableState<State: ~Copyable & Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  /// Creates a shared value.
  package init(_ state: consuming State) {
    self.state = state
    // Both objects stay at their addresses from here to `deinit`, as the system requires.
    unsafe mutex = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(changed, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Reads the value under the lock.
  package func read<Result: ~Copyable & Sendable>(_ body: (borrowing State) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(state)
  }

  /// Changes the value under the lock, and wakes every thread that waits.
  ///
  /// - Throws: What `change` throws; waiting threads wake in that case as well.
  package func update<Result: ~Copyable & Sendable, Failure: Error>(
    _ change: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_mutex_unlock(mutex)
      // Last, so that a thread that wakes finds the lock free.
      unsafe pthread_cond_broadcast(changed)
    }
    return try change(&state)
  }

  /// Blocks until a condition returns a value.
  ///
  /// - Parameters:
  ///   - limit: How long to wait at most; nil is without a limit, zero does not block.
  ///   - condition: Called under the lock, at once and after every `update`. It may take from the state what it
  ///     returns; that wakes no other thread.
  /// - Returns: The condition's value, or nil when the time is up.
  /// - Throws: What `condition` throws.
  package func wait<Result: ~Copyable & Sendable, Failure: Error>(
    for limit: Duration? = nil, until condition: (inout State) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    let deadline = limit.map(timespec.init(after:))
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let met = try condition(&state) { return met }
      guard var deadline else {
        unsafe pthread_cond_wait(changed, mutex)
        continue
      }
      // The call only reads the deadline.
      let code = unsafe pthread_cond_timedwait(changed, mutex, &deadline)
      if code == ETIMEDOUT { return try condition(&state) }
    }
  }
}

extension timespec {
  /// The point in time after a duration, by the monotonic clock; a negative duration is now.
  fileprivate init(after duration: Duration) {
    var now = timespec()
    // The kernel fills one structure of this frame.
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    let limit = min(max(duration, .zero), .seconds(1 << 40)).components
    let nanoseconds = now.tv_nsec + Int(limit.attoseconds / 1_000_000_000)
    self.init(
      tv_sec: now.tv_sec + Int(limit.seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }
}

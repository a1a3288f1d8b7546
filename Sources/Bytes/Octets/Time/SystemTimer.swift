internal import CTimerFD
internal import Glibc

/// Wakes the tasks that sleep on the machine's clock and makes its calls: one thread of the process, which waits for a timer of the kernel.
///
/// `Task.sleep` keeps its timer after a cancellation, does not count the time in which the machine is suspended, and
/// wakes a thread for every new timer. Here only a sleep that ends before all others costs a system call.
final class SystemTimer: Sendable {
  /// The timer of the process; its thread starts with the first use.
  static let process = SystemTimer()

  /// What waits for the timer. Its functions run on the thread of the timer.
  let queue: SleepQueue
  private let descriptor: Int32

  private init() {
    let descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC))
    precondition(descriptor >= 0, "the system has no descriptor left for the timer of this process")
    self.descriptor = descriptor
    queue = SleepQueue(at: Instant(nanoseconds: 0)) { Self.set(descriptor, to: $0) }
    // The timer lives as long as the process.
    let hasStarted = startDetachedThread { while true { self.waitOnce() } }
    precondition(hasStarted, "the system has no thread left for the timer of this process")
  }

  private static func set(_ descriptor: Int32, to instant: Instant) {
    // A time of zero would switch the timer off.
    let nanoseconds = max(instant.nanoseconds, 1)
    var time = itimerspec()
    time.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
    time.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    unsafe timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
  }

  private func waitOnce() {
    var expirations: UInt64 = 0
    _ = unsafe read(descriptor, &expirations, MemoryLayout<UInt64>.size)
    queue.advance { max($0, SystemClock().now) }
  }
}

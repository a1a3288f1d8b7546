import Octets

/// A clock that takes what the machine's takes and shows the same instant for ever. A session on it makes no further
/// readings of its device, and its first one does not become too old while another program has the processor.
struct StandingClock: MonotonicClock {
  private let machine = SystemClock()

  var now: Instant {
    _ = machine.now
    return Instant(nanoseconds: 0)
  }

  func sleep(until instant: Instant) async throws { try await machine.sleep(until: Instant(nanoseconds: .max)) }

  func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall {
    machine.call(at: Instant(nanoseconds: .max), function)
  }
}

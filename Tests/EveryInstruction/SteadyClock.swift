import Octets
import Synchronization

/// A clock that shows the same instant until it is advanced, so that no limit passes while a card is stepped. A wait takes as
/// long as on the machine's clock.
final class SteadyClock: MonotonicClock {
  private let shown = Atomic<Int64>(1_000_000_000)
  private let machine = SystemClock()

  var now: Instant { Instant(nanoseconds: shown.load(ordering: .acquiring)) }

  func advance(by duration: Duration) { shown.add(duration.nanoseconds, ordering: .acquiringAndReleasing) }

  func sleep(until instant: Instant) async throws { try await machine.sleep(until: atMachine(instant)) }

  func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall {
    machine.call(at: atMachine(instant), function)
  }

  private func atMachine(_ instant: Instant) -> Instant { machine.now + (instant - now) }
}

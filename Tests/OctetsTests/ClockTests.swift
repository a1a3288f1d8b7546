import Octets
import Testing

@Suite("Clocks", .timeLimit(.minutes(1)))
struct ClockTests {
  private func until(_ hasHappened: () -> Bool) async {
    while !hasHappened(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `A manual clock stands until it is moved, and moves exactly so far`() {
    let clock = ManualClock(at: Instant(nanoseconds: 5))
    #expect(clock.now.nanoseconds == 5)
    #expect(clock.now.nanoseconds == 5)
    clock.advance(by: .nanoseconds(7))
    #expect(clock.now.nanoseconds == 12)
    clock.advance(by: .zero)
    #expect(clock.now.nanoseconds == 12)
  }

  @Test func `A manual clock is never moved back`() async {
    await #expect(processExitsWith: .failure) { ManualClock().advance(by: .nanoseconds(-1)) }
  }

  @Test func `A sleeper wakes at its instant and not a nanosecond before`() async throws {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(until: Instant(nanoseconds: 100)) }
    await until { clock.sleeperCount == 1 }
    clock.advance(by: .nanoseconds(99))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .nanoseconds(1))
    #expect(clock.sleeperCount == 0)
    try await task.value
  }

  @Test func `One movement wakes everybody who is due and nobody else`() async throws {
    let clock = ManualClock()
    let tasks = (1...10).map { due in
      Task { try await clock.sleep(until: Instant(nanoseconds: due)) }
    }
    await until { clock.sleeperCount == 10 }
    clock.advance(by: .nanoseconds(4))
    #expect(clock.sleeperCount == 6)
    for task in tasks[..<4] { try await task.value }
    clock.advance(by: .nanoseconds(6))
    for task in tasks { try await task.value }
  }

  @Test func `Sleeping until now or before does not sleep`() async throws {
    let clock = ManualClock(at: Instant(nanoseconds: 10))
    try await clock.sleep(until: Instant(nanoseconds: 10))
    try await clock.sleep(until: Instant(nanoseconds: -10))
    #expect(clock.sleeperCount == 0)
  }

  @Test func `A cancelled sleeper ends at once, whether it was asleep or about to be`() async {
    let clock = ManualClock()
    let asleep = Task { try await clock.sleep(until: Instant(nanoseconds: 100)) }
    await until { clock.sleeperCount == 1 }
    asleep.cancel()
    await #expect(throws: CancellationError.self) { try await asleep.value }
    let about = Task {
      await until { Task.isCancelled }
      try await clock.sleep(until: Instant(nanoseconds: 100))
    }
    about.cancel()
    await #expect(throws: CancellationError.self) { try await about.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `The machine's clock goes forward, and sleeping on it ends`() async throws {
    let clock = SystemClock()
    let start = clock.now
    try await clock.sleep(until: start + .milliseconds(1))
    #expect(clock.now >= start + .milliseconds(1))
    try await clock.sleep(until: start)
  }

  @Test func `Sleep on the machine's clock can be cancelled`() async {
    let clock = SystemClock()
    let task = Task { try await clock.sleep(until: clock.now + .seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

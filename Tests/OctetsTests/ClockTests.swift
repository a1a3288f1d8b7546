import Octets
import Testing

@Suite("Clocks", .timeLimit(.minutes(20)))
struct ClockTests {
  private func until(_ hasHappened: () -> Bool) async {
    while !hasHappened(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `a manual clock advances only by the given duration`() {
    let clock = ManualClock(at: Instant(nanoseconds: 5))
    #expect(clock.now.nanoseconds == 5)
    #expect(clock.now.nanoseconds == 5)
    clock.advance(by: .nanoseconds(7))
    #expect(clock.now.nanoseconds == 12)
    clock.advance(by: .zero)
    #expect(clock.now.nanoseconds == 12)
  }

  @Test func `a manual clock traps for a negative duration`() async {
    await #expect(processExitsWith: .failure) { ManualClock().advance(by: .nanoseconds(-1)) }
  }

  @Test func `a sleeping task resumes exactly at its instant`() async throws {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(until: Instant(nanoseconds: 100)) }
    await until { clock.sleeperCount == 1 }
    clock.advance(by: .nanoseconds(99))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .nanoseconds(1))
    #expect(clock.sleeperCount == 0)
    try await task.value
  }

  @Test func `one advance resumes all tasks that are due and no others`() async throws {
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

  @Test func `sleeping until the present or an earlier instant returns at once`() async throws {
    let clock = ManualClock(at: Instant(nanoseconds: 10))
    try await clock.sleep(until: Instant(nanoseconds: 10))
    try await clock.sleep(until: Instant(nanoseconds: -10))
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a cancelled task ends at once, asleep or about to sleep`() async {
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

  @Test func `the system clock advances and a sleep on it ends`() async throws {
    let clock = SystemClock()
    let start = clock.now
    try await clock.sleep(until: start + .milliseconds(1))
    #expect(clock.now >= start + .milliseconds(1))
    try await clock.sleep(until: start)
  }

  @Test func `a sleep on the system clock can be cancelled`() async {
    let clock = SystemClock()
    let task = Task { try await clock.sleep(until: clock.now + .seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `sleeps on the system clock end in the order of their instants, whichever began first`() async throws {
    let clock = SystemClock()
    let start = clock.now
    let ended = try await withThrowingTaskGroup(of: Int.self) { group in
      // Started from the latest instant to the earliest: each becomes the next to wake.
      for number in (1...8).reversed() {
        group.addImmediateTask {
          try await clock.sleep(until: start + .milliseconds(100 * number))
          #expect(clock.now >= start + .milliseconds(100 * number))
          return number
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ended == Array(1...8))
  }

  @Test func `a cancelled sleep ends at once and leaves the others asleep`() async throws {
    let clock = SystemClock()
    let start = clock.now
    let first = Task.immediate { try await clock.sleep(until: start + .milliseconds(50)) }
    let others = (0..<100).map { _ in Task.immediate { try await clock.sleep(until: start + .milliseconds(100)) } }
    let late = Task.immediate { try await clock.sleep(until: start + .seconds(3600)) }
    first.cancel()
    late.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: CancellationError.self) { try await late.value }
    for other in others { try await other.value }
    #expect(clock.now >= start + .milliseconds(100))
  }

  @Test func `sleeps of one instant, and cancellations between them, all end`() async throws {
    let clock = ManualClock()
    let tasks = (0..<9).map { number in
      Task.immediate { try await clock.sleep(until: Instant(nanoseconds: Int64(number / 3))) }
    }
    #expect(clock.sleeperCount == 6)
    for task in [tasks[4], tasks[8], tasks[0]] { task.cancel() }
    clock.advance(by: .nanoseconds(2))
    #expect(clock.sleeperCount == 0)
    for (number, task) in tasks.enumerated() where [4, 8].contains(number) {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    for number in [0, 1, 2, 3, 5, 6, 7] { try await tasks[number].value }
  }

  /// A clock that can only sleep.
  private struct SleepingClock: MonotonicClock {
    let base: any MonotonicClock
    var now: Instant { base.now }
    func sleep(until instant: Instant) async throws { try await base.sleep(until: instant) }
  }

  @Test(arguments: [SystemClock(), SleepingClock(base: SystemClock())] as [any MonotonicClock])
  func `calls of the system clock are made, except for one that is cancelled`(
    _ clock: any MonotonicClock
  ) async {
    let start = clock.now
    let (stream, made) = AsyncStream.makeStream(of: String.self)
    clock.call(at: start + .seconds(3600)) { made.yield("cancelled") }.cancel()
    _ = clock.call(at: start + .milliseconds(40)) { made.finish() }
    _ = clock.call(at: start + .milliseconds(2)) { made.yield("early") }
    var names: [String] = []
    for await name in stream { names.append(name) }
    #expect(names == ["early"])
    #expect(clock.now >= start + .milliseconds(40))
  }

  @Test(arguments: [false, true])
  func `calls of a manual clock are made when it is advanced`(_ isSleeping: Bool) async {
    let manual = ManualClock()
    let clock: any MonotonicClock = isSleeping ? SleepingClock(base: manual) : manual
    let (stream, made) = AsyncStream.makeStream(of: Int.self)
    _ = clock.call(at: Instant(nanoseconds: 10)) { made.yield(1) }
    clock.call(at: Instant(nanoseconds: 11)) { made.yield(2) }.cancel()
    await until { manual.sleeperCount == 1 }
    manual.advance(by: .nanoseconds(20))
    var numbers = stream.makeAsyncIterator()
    #expect(await numbers.next() == 1)
    _ = clock.call(at: Instant(nanoseconds: 20)) { made.finish() }
    #expect(await numbers.next() == nil)
  }
}

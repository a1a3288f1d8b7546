import Synchronization
import Testing

@testable import Octets

@Suite("The queue of sleeping tasks", .timeLimit(.minutes(20)))
struct SleepQueueTests {
  /// The instants for which a queue has asked to be advanced, in nanoseconds.
  private final class Announcements: Sendable {
    private let instants = Mutex<[Int64]>([])
    var all: [Int64] { instants.withLock(\.self) }
    func add(_ instant: Instant) { instants.withLock { $0.append(instant.nanoseconds) } }
  }

  private func sleep(_ queue: SleepQueue, until nanoseconds: Int64) -> Task<Void, Never> {
    Task.immediate { try? await queue.sleep(until: Instant(nanoseconds: nanoseconds)) }
  }

  @Test func `sleeps that are cancelled and begun again announce one instant`() async {
    let announcements = Announcements()
    let queue = SleepQueue(at: Instant(nanoseconds: 0)) { announcements.add($0) }
    for step in 0..<100 {
      let task = sleep(queue, until: 1_000 + Int64(step))
      task.cancel()
      await task.value
    }
    #expect(announcements.all == [1_000])
    #expect(queue.count == 0)
  }

  @Test func `an earlier sleep is announced at once, and a later one when the queue is advanced`() async {
    let announcements = Announcements()
    let queue = SleepQueue(at: Instant(nanoseconds: 0)) { announcements.add($0) }
    let tasks = [300, 100, 200].map { sleep(queue, until: $0) }
    #expect(announcements.all == [300, 100])
    queue.advance { _ in Instant(nanoseconds: 100) }
    await tasks[1].value
    #expect(announcements.all == [300, 100, 200])
    queue.advance { _ in Instant(nanoseconds: 300) }
    for task in tasks { await task.value }
    #expect(announcements.all == [300, 100, 200])
    let last = sleep(queue, until: 400)
    #expect(announcements.all == [300, 100, 200, 400])
    last.cancel()
    await last.value
  }

  @Test func `an advance for a cancelled sleep announces the sleep that is next`() async {
    let announcements = Announcements()
    let queue = SleepQueue(at: Instant(nanoseconds: 0)) { announcements.add($0) }
    let (first, second) = (sleep(queue, until: 100), sleep(queue, until: 200))
    first.cancel()
    await first.value
    queue.advance { _ in Instant(nanoseconds: 100) }
    #expect(announcements.all == [100, 200])
    queue.advance { _ in Instant(nanoseconds: 200) }
    await second.value
  }

  @Test func `calls are made once in the order of their instants, and not after a cancellation`() {
    let announcements = Announcements()
    let made = Announcements()
    let queue = SleepQueue(at: Instant(nanoseconds: 0)) { announcements.add($0) }
    let calls = [300, 100, 200].map { instant in
      queue.call(at: Instant(nanoseconds: instant)) { made.add(Instant(nanoseconds: instant)) }
    }
    #expect(queue.count == 3 && announcements.all == [300, 100])
    calls[2].cancel()
    calls[2].cancel()
    #expect(queue.count == 2)
    queue.advance { _ in Instant(nanoseconds: 99) }
    #expect(made.all.isEmpty)
    queue.advance { _ in Instant(nanoseconds: 300) }
    #expect(made.all == [100, 300] && queue.count == 0)
    queue.advance { _ in Instant(nanoseconds: 400) }
    for call in calls { call.cancel() }
    #expect(made.all == [100, 300])
  }

  @Test func `a call for an instant that has come is made at once`() {
    let made = Announcements()
    let queue = SleepQueue(at: Instant(nanoseconds: 100))
    for instant in [100, 99] as [Int64] {
      queue.call(at: Instant(nanoseconds: instant)) { made.add(Instant(nanoseconds: instant)) }.cancel()
    }
    #expect(made.all == [100, 99] && queue.count == 0)
  }

  @Test func `a call may add and cancel others`() {
    let made = Announcements()
    let queue = SleepQueue(at: Instant(nanoseconds: 0))
    let other = queue.call(at: Instant(nanoseconds: 20)) { made.add(Instant(nanoseconds: 20)) }
    _ = queue.call(at: Instant(nanoseconds: 10)) {
      other.cancel()
      _ = queue.call(at: Instant(nanoseconds: 15)) { made.add(Instant(nanoseconds: 15)) }
    }
    queue.advance { _ in Instant(nanoseconds: 10) }
    queue.advance { _ in Instant(nanoseconds: 30) }
    #expect(made.all == [15])
  }
}

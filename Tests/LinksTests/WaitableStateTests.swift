import Dispatch
import Links
import TestSupport
import Testing

@Suite(.blocks, .timeLimit(.minutes(20)))
struct WaitableStateTests {
  @Test func `a wait returns at once when its condition holds`() {
    let state = WaitableState([1, 2])
    #expect(state.wait { $0.isEmpty ? nil : $0.removeFirst() } == 1)
    #expect(state.read { $0 } == [2])
  }

  @Test func `a wait ends with the update that fulfils its condition`() {
    let state = WaitableState(0)
    let waiter = DedicatedThread<Int?, Never>(named: "waiter") { state.wait { $0 == 3 ? $0 : nil } }
    for value in 1...2 {
      state.update { $0 = value }
      #expect(waiter.join(timeout: .milliseconds(20)) == nil)
    }
    state.update { $0 = 3 }
    #expect(waiter.join() == 3)
  }

  @Test(arguments: [Duration.zero, .milliseconds(30), .seconds(-1)])
  func `a wait whose time is up returns nil and no earlier`(limit: Duration) {
    let state = WaitableState(0)
    let time = ContinuousClock().measure {
      #expect(state.wait(for: limit) { $0 == 1 ? $0 : nil } == nil)
    }
    #expect(time >= limit)
  }

  @Test func `one update wakes every thread that waits`() {
    let state = WaitableState(0)
    let waiters = (0..<8).map { number in
      DedicatedThread<Int?, Never>(named: "waiter") { state.wait { $0 > number ? number : nil } }
    }
    for waiter in waiters { #expect(waiter.join(timeout: .milliseconds(2)) == nil) }
    state.update { $0 = 8 }
    #expect(waiters.map { $0.join() } == Array(0..<8))
  }

  @Test func `an update that throws changes what it changed and wakes the waiting threads`() throws {
    let state = WaitableState(0)
    let waiter = DedicatedThread<Int?, Never>(named: "waiter") { state.wait { $0 == 1 ? $0 : nil } }
    #expect(waiter.join(timeout: .milliseconds(20)) == nil)
    #expect(throws: LinkError(.busy, "")) {
      try state.update { (value) throws(LinkError) in
        value = 1
        throw LinkError(.busy, "")
      }
    }
    #expect(waiter.join() == 1)
  }

  @Test func `no wake-up is lost while other waits time out`() {
    // Waits of 0 to 200 µs end at the same moments as updates; a lost wake-up would block the consumer for good.
    let state = WaitableState((produced: 0, consumed: 0, isOver: false))
    let impatient = (0..<3).map { seed in
      DedicatedThread<Void, Never>(named: "impatient") {
        var turn = seed
        while !state.read(\.isOver) {
          turn = (turn &* 31 &+ 7) % 200
          _ = state.wait(for: .microseconds(turn)) { $0.isOver ? true : nil }
        }
      }
    }
    let consumer = DedicatedThread<Void, Never>(named: "consumer") {
      for _ in 0..<20_000 {
        _ = state.wait { state -> Bool? in
          guard state.produced > state.consumed else { return nil }
          state.consumed += 1
          return true
        }
        state.update { _ in }
      }
    }
    for _ in 0..<20_000 {
      state.update { $0.produced += 1 }
      _ = state.wait { $0.consumed == $0.produced ? true : nil }
    }
    #expect(consumer.join(timeout: .seconds(60)) != nil)
    state.update { $0.isOver = true }
    for thread in impatient { thread.join() }
  }
}

import Dispatch
import Foundation
import Links
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ThreadExecutorTests {
  private actor Till {
    func thread() -> SystemThread { .present }
  }

  private final class Record: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  private func thread() async -> SystemThread { .present }

  @Test func `tasks that prefer an executor, their children and their calls of actors run on its thread`() async {
    let executor = ThreadExecutor(named: "executor")
    let till = Till()
    let threads = await withTaskExecutorPreference(executor) {
      var threads = [await thread(), await till.thread()]
      await withTaskGroup(of: SystemThread.self) { group in
        for _ in 0..<10 { group.addTask { await till.thread() } }
        for await thread in group { threads.append(thread) }
      }
      threads.append(await Task(executorPreference: executor) { SystemThread.present }.value)
      return threads
    }
    #expect(threads.count == 13)
    #expect(threads.allSatisfy { $0 == threads[0] }, "\(threads)")
    #expect(threads[0].name == "executor")
  }

  @Test func `jobs run one at a time, in the order in which they were enqueued`() async {
    let executor = ThreadExecutor(named: "executor")
    let record = Record()
    let gate = DispatchSemaphore(value: 0)
    let first = Task(executorPreference: executor) { gate.wait() }
    let tasks = (0..<100).map { number in
      Task(executorPreference: executor) { record.add(number) }
    }
    let early = record.all
    gate.signal()
    await first.value
    for task in tasks { await task.value }
    #expect(early.isEmpty)
    #expect(record.all == Array(0..<100))
  }

  @Test func `a sleep of a task ends on the thread of its executor`() async {
    let executor = ThreadExecutor(named: "executor")
    let threads = await Task(executorPreference: executor) {
      let before = SystemThread.present
      try? await Task.sleep(for: .milliseconds(1))
      return [before, SystemThread.present]
    }.value
    #expect(threads[0] == threads[1])
  }

  @Test func `the thread ends when its executor is released, after the tasks that prefer it`() async {
    let record = Record()
    let thread: SystemThread
    do {
      let executor = ThreadExecutor(named: "executor")
      thread = await Task(executorPreference: executor) { SystemThread.present }.value
      #expect(thread.isRunning)
      Task(executorPreference: executor) {
        try? await Task.sleep(for: .milliseconds(20))
        record.add(1)
      }
    }
    while thread.isRunning, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
    #expect(record.all == [1])
  }
}

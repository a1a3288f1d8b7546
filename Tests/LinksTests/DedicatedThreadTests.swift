import Dispatch
import Foundation
import Links
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20)))
struct DedicatedThreadTests {
  @Test func `work runs on a thread of its own, which has the given name`() async {
    let name = await DedicatedThread<String?, Never>(named: "tap-card") { Thread.current.name }.value()
    #expect(name == "tap-card")
  }

  @Test func `an error of the work reaches every task and thread that waits`() async {
    let gate = DispatchSemaphore(value: 0)
    let thread = DedicatedThread<Int, LinkError>(named: "failing") { () throws(LinkError) in
      gate.wait()
      throw LinkError(.busy, "taken")
    }
    let waiting = (0..<2).map { _ in Task { try await thread.value() } }
    gate.signal()
    for task in waiting {
      await #expect(throws: LinkError(.busy, "")) { _ = try await task.value }
    }
    #expect(throws: LinkError(.busy, "")) { _ = try thread.join() }
    #expect(throws: LinkError(.busy, "")) { _ = try thread.join(timeout: .zero) }
  }

  @Test func `the work continues after a wait with a time limit`() {
    let gate = DispatchSemaphore(value: 0)
    let thread = DedicatedThread<Int, Never>(named: "waiting") {
      gate.wait()
      return 7
    }
    #expect(thread.result == nil)
    #expect(thread.join(timeout: .milliseconds(20)) == nil)
    gate.signal()
    #expect(thread.join(timeout: .seconds(30)) == 7)
    #expect(thread.join() == 7)
    #expect(thread.join(timeout: .zero) == 7)
  }

  @Test func `blocked threads do not block the cooperative pool`() async {
    let gate = DispatchSemaphore(value: 0)
    let threads = (0..<32).map { number in
      DedicatedThread<Int, Never>(named: "blocked") {
        gate.wait()
        gate.signal()
        return number
      }
    }
    await Task { _ = gate.signal() }.value
    var numbers: [Int] = []
    for thread in threads { numbers.append(await thread.value()) }
    #expect(numbers == Array(0..<32))
  }
}

import Links
import Octets
import TestSupport
import Testing

/// `stop()` must end a wait within 100 ms. One of five attempts in time is enough: a loaded machine may be late, a link
/// that breaks the contract is late every time.
@Suite(.blocks, .timeLimit(.minutes(20)))
struct StopTimeTests {
  private func isInTime(_ attempt: () throws -> Duration) throws -> Bool {
    for _ in 0..<5 where try attempt() <= .milliseconds(100) { return true }
    return false
  }

  @Test(arguments: [false, true])
  func `stop ends a loopback that waits for a terminal or a command within 100 ms`(hasTerminal: Bool) throws {
    let inTime = try isInTime {
      let loopback = Loopback()
      let card = serving(loopback, ScriptedResponder())
      var channel = hasTerminal ? try loopback.connect(timeout: .seconds(60)) : nil
      #expect(try card.join(timeout: .milliseconds(20)) == nil)
      let time = try ContinuousClock().measure {
        loopback.stop()
        loopback.stop()
        try card.join()
      }
      channel?.close()
      return time
    }
    #expect(inTime)
  }

  @Test func `stop ends the wait of a scripted monitor within 100 ms`() throws {
    let inTime = try isInTime {
      let monitor = ScriptedReaderMonitor(clock: SystemClock())
      let watcher = DedicatedThread(named: "watcher") {
        linkError { () throws(LinkError) in _ = try monitor.next(timeout: .seconds(60)) }
      }
      #expect(watcher.join(timeout: .milliseconds(20)) == nil)
      return ContinuousClock().measure {
        monitor.stop()
        #expect(watcher.join()?.code == .stopped)
      }
    }
    #expect(inTime)
  }
}

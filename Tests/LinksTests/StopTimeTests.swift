import Links
import Octets
import TestSupport
import Testing

/// The contracts give `stop()` 100 ms. A busy machine may be late once; a link that misses it is late every time.
@Suite(.blocks, .timeLimit(.minutes(10)))
struct StopTimeTests {
  private func isInTime(_ attempt: () throws -> Duration) throws -> Bool {
    for _ in 0..<5 where try attempt() <= .milliseconds(100) { return true }
    return false
  }

  @Test(arguments: [false, true])
  func `stopping ends a loopback that waits for a terminal, or for a command, in time`(hasTerminal: Bool) throws {
    let inTime = try isInTime {
      let loopback = Loopback()
      let card = serving(loopback, ScriptedResponder())
      var channel = hasTerminal ? try loopback.connect(timeout: .seconds(10)) : nil
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

  @Test func `stopping ends the wait of a scripted monitor in time`() throws {
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

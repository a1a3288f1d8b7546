import Links
import Octets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ReaderMonitorTests {
  private let clock = ManualClock(at: Instant(nanoseconds: 3))

  @Test func `a scripted monitor returns its events in order, with their instants`() throws {
    let monitor = ScriptedReaderMonitor(clock: clock)
    monitor.report(.readerAdded, reader: "A")
    clock.advance(by: .nanoseconds(1))
    monitor.report(.cardInserted(answerToReset: [0x3B]), reader: "A")
    #expect(try monitor.next(timeout: .zero) == ReaderEvent(.readerAdded, reader: "A", at: Instant(nanoseconds: 3)))
    #expect(try monitor.next(timeout: .zero)?.instant == Instant(nanoseconds: 4))
    #expect(try monitor.next(timeout: .milliseconds(5)) == nil)
  }

  @Test func `an event ends a wait`() throws {
    let monitor = ScriptedReaderMonitor(clock: clock)
    let watcher = DedicatedThread(named: "watcher") { () throws(LinkError) in
      try monitor.next(timeout: .seconds(30))
    }
    #expect(try watcher.join(timeout: .milliseconds(20)) == nil)
    monitor.report(.cardRemoved, reader: "B")
    #expect(try watcher.join()?.reader == "B")
  }

  @Test func `stop ends the wait and all later waits`() {
    let monitor = ScriptedReaderMonitor(clock: clock)
    let watcher = DedicatedThread(named: "watcher") {
      linkError { () throws(LinkError) in _ = try monitor.next(timeout: .seconds(30)) }
    }
    #expect(watcher.join(timeout: .milliseconds(20)) == nil)
    monitor.stop()
    monitor.stop()
    #expect(watcher.join()?.code == .stopped)
    monitor.report(.readerAdded, reader: "A")
    #expect(linkError { () throws(LinkError) in _ = try monitor.next(timeout: .zero) }?.code == .stopped)
  }

  @Test func `a wait for a card ignores other readers`() throws {
    let monitor = ScriptedReaderMonitor(clock: clock)
    monitor.report(.readerAdded, reader: "A")
    monitor.report(.cardInserted(answerToReset: [0x3F]), reader: "B")
    monitor.report(.readerRemoved, reader: "B")
    monitor.report(.cardInserted(answerToReset: [0x3B, 0x80]), reader: "A")
    #expect(try monitor.waitForCard(in: "A", timeout: .seconds(30), clock: clock) == [0x3B, 0x80])
  }

  @Test func `a wait for a card ends when the reader is unplugged or the time is up`() {
    let monitor = ScriptedReaderMonitor(clock: clock)
    monitor.report(.readerRemoved, reader: "A")
    for expected in [LinkError.Code.readerUnavailable, .timedOut] {
      let failure = linkError { () throws(LinkError) in
        _ = try monitor.waitForCard(in: "A", timeout: .milliseconds(10), clock: clock)
      }
      #expect(failure?.code == expected)
    }
  }
}

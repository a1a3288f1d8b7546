#if PCSC
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import TestSupport
  import Testing

  extension RealReaderTests {
    @Suite struct MonitorTests {
      @Test func `a monitor reports the readers that are connected, then a card that is inserted and removed`() throws {
        let readers = try SharedPCSCD.pcscd.readerNames
        let clock = ManualClock(at: Instant(nanoseconds: 77))
        let monitor = try PCSCMonitor(clock: clock)
        for reader in readers {
          let expected = ReaderEvent(.readerAdded, reader: reader, at: clock.now)
          #expect(try monitor.next(timeout: .seconds(60)) == expected)
        }
        #expect(try monitor.next(timeout: .zero) == nil)
        let card = try SharedPCSCD.present(ScriptedResponder(), in: 1)
        let inserted = try monitor.next(timeout: .seconds(60))
        #expect(inserted?.change == .cardInserted(answerToReset: AnswerToReset.contactless()))
        #expect(inserted?.reader == readers[1])
        var channel = try PCSCChannel(reader: readers[1])
        channel.close()
        #expect(try monitor.next(timeout: .milliseconds(50)) == nil)
        try card.takeOut(of: 1)
        #expect(try monitor.next(timeout: .seconds(60))?.change == .cardRemoved)
        #expect(try monitor.next(timeout: .milliseconds(50)) == nil)
      }

      @Test func `a card that is there at the start is reported after its reader`() throws {
        let card = try SharedPCSCD.present(ScriptedResponder())
        let monitor = try PCSCMonitor()
        let changes = try (0..<3).map { _ in try monitor.next(timeout: .seconds(60))?.change }
        #expect(
          changes == [.readerAdded, .cardInserted(answerToReset: AnswerToReset.contactless()), .readerAdded])
        try card.takeOut()
      }

      @Test func `a card that was exchanged between two polls is reported as removed and inserted`() throws {
        let monitor = try PCSCMonitor()
        for _ in 0..<2 { _ = try monitor.next(timeout: .seconds(60)) }
        let first = try SharedPCSCD.present(ScriptedResponder())
        #expect(
          try monitor.next(timeout: .seconds(60))?.change == .cardInserted(answerToReset: AnswerToReset.contactless()))
        try first.takeOut()
        let second = try SharedPCSCD.present(ScriptedResponder())
        #expect(try monitor.next(timeout: .seconds(60))?.change == .cardRemoved)
        #expect(
          try monitor.next(timeout: .seconds(60))?.change == .cardInserted(answerToReset: AnswerToReset.contactless()))
        try second.takeOut()
      }

      @Test func `stop ends a wait within 100 ms, and all later waits at once`() throws {
        var isInTime = false
        for _ in 0..<5 where !isInTime {
          let monitor = try PCSCMonitor()
          for _ in 0..<2 { _ = try monitor.next(timeout: .seconds(60)) }
          let watcher = DedicatedThread(named: "watcher") {
            linkError { () throws(LinkError) in _ = try monitor.next(timeout: .seconds(60)) }
          }
          #expect(watcher.join(timeout: .milliseconds(50)) == nil)
          let time = ContinuousClock().measure {
            monitor.stop()
            monitor.stop()
            #expect(watcher.join()?.code == .stopped)
          }
          #expect(linkError { () throws(LinkError) in _ = try monitor.next(timeout: .zero) }?.code == .stopped)
          isInTime = time <= .milliseconds(100)
        }
        #expect(isInTime)
      }

      @Test func `a wait for a card times out`() throws {
        let reader = try SharedPCSCD.reader()
        let monitor = try PCSCMonitor()
        let failure = linkError { () throws(LinkError) in
          _ = try monitor.waitForCard(in: reader, timeout: .milliseconds(700))
        }
        #expect(failure?.code == .timedOut)
      }

      @Test func `a card that was taken away and presented again counts as gone since its visit`() throws {
        let clock = SystemClock()
        let reader = try SharedPCSCD.reader(1)
        let first = try SharedPCSCD.present(ScriptedResponder(), in: 1)
        let visit = try #require(PCSCService.readers().first { $0.name == reader })
        #expect(try !PCSCService.isEmpty(reader, since: visit, until: clock.now, by: clock))
        try first.takeOut(of: 1)
        let second = try SharedPCSCD.present(ScriptedResponder(), in: 1)
        #expect(try PCSCService.isEmpty(reader, since: visit, until: clock.now, by: clock))
        #expect(try !PCSCService.isEmpty(reader, until: clock.now, by: clock))
        try second.takeOut(of: 1)
      }

      @Test func `the service lists its readers with their cards`() throws {
        let card = try SharedPCSCD.present(ScriptedResponder(), in: 1)
        let readers = try PCSCService.readers()
        #expect(readers.map(\.name) == (try SharedPCSCD.pcscd.readerNames))
        #expect(readers.map(\.card) == [nil, AnswerToReset.contactless()])
        #expect(try PCSCService.reader(matching: "reader 00 01") == SharedPCSCD.reader(1))
        try card.takeOut(of: 1)
      }
    }
  }
#endif

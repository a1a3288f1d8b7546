#if PCSC
  import Glibc
  import Links
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  /// R57: an event comes within one poll period. A busy machine may be late once; a monitor that misses the reader's
  /// coming is late every time.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(10)))
  struct PollPeriodTests {
    /// How long the monitor waits before it looks for itself.
    private static let pollPeriod = Duration.milliseconds(500)

    /// How long it takes until something is told of the reader.
    private static func time(
      until change: ReaderEvent.Change, at monitor: PCSCMonitor, after act: () -> Void
    ) throws -> Duration {
      let start = ContinuousClock.now
      act()
      while let event = try monitor.next(timeout: .seconds(60)) {
        if event.change == change { return .now - start }
      }
      throw LinkError(.timedOut, "nothing was told of the reader")
    }

    @Test func `a reader that comes, its card, and a reader that goes are told within one poll period`() async {
      await #expect(processExitsWith: .success) {
        let readers = try PluggableReaders()
        setenv("PCSCLITE_CSOCK_NAME", readers.socketPath, 1)
        let monitor = try PCSCMonitor()
        #expect(try monitor.next(timeout: .zero) == nil)
        let answer = ReaderEvent.Change.cardInserted(answerToReset: [0x3B, 0x80, 0x80, 0x01, 0x01])
        var fastest = [Duration](repeating: .seconds(60), count: 3)
        for _ in 0..<5 {
          let times = [
            try PollPeriodTests.time(until: .readerAdded, at: monitor) { readers.plugIn(1) },
            try PollPeriodTests.time(until: answer, at: monitor) {},
            try PollPeriodTests.time(until: .readerRemoved, at: monitor) { readers.pullOut(1) },
          ]
          fastest = zip(fastest, times).map { min($0, $1) }
        }
        #expect(fastest.allSatisfy { $0 <= PollPeriodTests.pollPeriod }, "\(fastest)")
      }
    }
  }

  extension RealReaderTests.ChipTests {
    /// The contract gives `stop()` 100 ms.
    struct StopTimeTests {
      static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

      private func isInTime(_ attempt: () throws -> Duration) throws -> Bool {
        for _ in 0..<5 where try attempt() <= .milliseconds(100) { return true }
        return false
      }

      private func stopping(_ card: ServedChipCard) throws -> Duration {
        let time = try ContinuousClock().measure {
          card.link.stop()
          card.link.stop()
          try card.thread.join()
        }
        card.harness.remove()
        return time
      }

      @Test func `stopping ends a card that waits for a terminal in time, although nothing ends its driver's wait`()
        throws
      {
        let inTime = try isInTime {
          let card = try ServedChipCard()
          #expect(try card.thread.join(timeout: .milliseconds(200)) == nil)
          return try stopping(card)
        }
        #expect(inTime)
      }

      @Test func `stopping ends a card that waits for a command in time`() throws {
        let inTime = try isInTime {
          let card = try ServedChipCard()
          let device = try ChipDesk.open()
          var channel = try device.channel()
          #expect(try channel.send(Self.selection) == [0x6D, 0x00])
          #expect(try card.thread.join(timeout: .milliseconds(50)) == nil)
          return try stopping(card)
        }
        #expect(inTime)
      }

      @Test func `stopping ends simulated readers in time`() throws {
        let inTime = try isInTime {
          let readers = try ChipDesk.slots.plug(.pair)
          usleep(20_000)
          return try ContinuousClock().measure { try readers.unplug() }
        }
        #expect(inTime)
      }
    }
  }
#endif

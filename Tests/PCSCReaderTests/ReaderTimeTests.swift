#if PCSC
  import Glibc
  import Links
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  /// An event is reported within one poll period. One attempt in time is enough: a loaded machine may be late, a
  /// monitor that misses an event is late every time.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
  struct PollPeriodTests {
    /// The monitor's poll period.
    private static let pollPeriod = Duration.milliseconds(500)

    /// The time until an event of the reader is reported.
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

    @Test func `a plugged reader, its card and its unplugging are reported within one poll period`() async {
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
    /// `stop()` must end a wait within 100 ms.
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

      @Test func `stop ends a card that waits for a terminal within 100 ms, although the driver's call continues`()
        throws
      {
        let inTime = try isInTime {
          let card = try ServedChipCard()
          #expect(try card.thread.join(timeout: .milliseconds(200)) == nil)
          return try stopping(card)
        }
        #expect(inTime)
      }

      @Test func `stop ends a card that waits for a command within 100 ms`() throws {
        let inTime = try isInTime {
          let card = try ServedChipCard()
          let device = try SharedChipReaders.open()
          var channel = try device.channel()
          #expect(try channel.send(Self.selection) == [0x6D, 0x00])
          #expect(try card.thread.join(timeout: .milliseconds(50)) == nil)
          return try stopping(card)
        }
        #expect(inTime)
      }

      @Test func `stop ends simulated readers within 100 ms`() throws {
        let inTime = try isInTime {
          let readers = try SharedChipReaders.slots.plug(.pair)
          usleep(20_000)
          return try ContinuousClock().measure { try readers.unplug() }
        }
        #expect(inTime)
      }
    }
  }
#endif

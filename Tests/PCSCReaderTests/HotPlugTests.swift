#if PCSC
  import Glibc
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import TestSupport
  import Testing

  /// Readers that are plugged in and unplugged while pcscd runs.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
  struct HotPlugTests {
    private static let answer = ReaderEvent.Change.cardInserted(answerToReset: [0x3B, 0x80, 0x80, 0x01, 0x01])

    @Test
    func `readers are reported as they are plugged in and unplugged, and only the channel of an unplugged reader ends`()
      async
    {
      await #expect(processExitsWith: .success) {
        let readers = try PluggableReaders()
        setenv("PCSCLITE_CSOCK_NAME", readers.socketPath, 1)
        let names = ["Plugged Reader 00 00", "Plugged Reader 01 00"]
        let monitor = try PCSCMonitor()
        #expect(try monitor.next(timeout: .zero) == nil)
        for number in 0..<2 {
          readers.plugIn(number + 1)
          #expect(try HotPlugTests.arrival(of: names[number], at: monitor) == [.readerAdded, HotPlugTests.answer])
        }
        var lost = try PCSCChannel(reader: names[0])
        var kept = try PCSCChannel(reader: names[1])
        for _ in 0..<5 {
          #expect(try lost.exchange(.getData(0x9F36)).encoded == [0x90, 0x00])
          #expect(try kept.exchange(.getData(0x9F36)).encoded == [0x90, 0x00])
        }
        readers.pullOut(1)
        let event = try monitor.next(timeout: .seconds(60))
        #expect(event?.change == .readerRemoved && event?.reader == names[0])
        let failures = (0..<2).map { _ in
          linkError { () throws(LinkError) in _ = try lost.exchange(.getData(0x9F36)) }?.code
        }
        #expect(failures == [.readerUnavailable, .readerUnavailable])
        #expect(
          linkError { () throws(LinkError) in _ = try PCSCChannel(reader: names[0]) }?.code == .readerUnavailable)
        #expect(try kept.exchange(.getData(0x9F36)).encoded == [0x90, 0x00])

        readers.plugIn(1)
        #expect(try HotPlugTests.arrival(of: names[0], at: monitor) == [.readerAdded, HotPlugTests.answer])
        var again = try PCSCChannel(reader: names[0])
        #expect(try again.exchange(.getData(0x9F36)).encoded == [0x90, 0x00])
        lost.close()
        #expect(try again.exchange(.getData(0x9F36)).encoded == [0x90, 0x00])
      }
    }

    /// The event of a reader within some polls; events of its card are skipped.
    private static func arrival(of reader: String, at monitor: PCSCMonitor) throws -> [ReaderEvent.Change] {
      try (0..<2).compactMap { _ in
        let event = try monitor.next(timeout: .seconds(60))
        return event?.reader == reader ? event?.change : nil
      }
    }

    @Test func `a reader that is unplugged during a command ends its channel with an error`() async {
      await #expect(processExitsWith: .success) {
        let readers = try PluggableReaders()
        setenv("PCSCLITE_CSOCK_NAME", readers.socketPath, 1)
        let name = "Plugged Reader 00 00"
        let monitor = try PCSCMonitor()
        readers.plugIn(1)
        _ = try monitor.waitForCard(in: name, timeout: .seconds(60))
        let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> LinkError.Code? in
          var channel = try PCSCChannel(reader: name)
          let slow: [UInt8] = [0x00, 0x70, 0x00, 0x00]
          return linkError { () throws(LinkError) in
            // The card may have answered just before the reader was unplugged: then the next command fails.
            for _ in 0..<200 { _ = try channel.exchanged(slow) }
          }?.code
        }
        usleep(300_000)
        readers.pullOut(1)
        let code = try terminal.join()
        #expect(code == .readerUnavailable || code == .cardRemoved || code == .transmissionFailed)
        #expect(try monitor.next(timeout: .seconds(60))?.change == .readerRemoved)
        #expect(try monitor.next(timeout: .zero) == nil)
      }
    }

    @Test func `a wait for a card ends when its reader is unplugged`() async {
      await #expect(processExitsWith: .success) {
        let readers = try PluggableReaders()
        setenv("PCSCLITE_CSOCK_NAME", readers.socketPath, 1)
        let name = "Plugged Reader 00 00"
        let monitor = try PCSCMonitor()
        readers.plugIn(1)
        _ = try monitor.waitForCard(in: name, timeout: .seconds(60))
        let watcher = DedicatedThread(named: "watcher") {
          linkError { () throws(LinkError) in _ = try monitor.waitForCard(in: name, timeout: .seconds(120)) }
        }
        #expect(watcher.join(timeout: .milliseconds(200)) == nil)
        readers.pullOut(1)
        #expect(watcher.join()?.code == .readerUnavailable)
      }
    }
  }

  extension PCSCChannel {
    fileprivate mutating func exchanged(_ command: [UInt8]) throws(LinkError) -> Int {
      var room = [UInt8](repeating: 0, count: 258)
      return try room.withMutableOctets { (room) throws(LinkError) in try transmit(command.span, into: &room) }
    }
  }
#endif

#if PCSC
  import Foundation
  import ISO7816
  import Links
  import PCSCReader
  import TestSupport
  import Testing
  import VirtualCard

  /// A pcscd with several readers, in a separate process.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
  struct SeveralReadersTests {
    /// Restarts pcscd with another reader of two slots. Returns the port of its first slot.
    private static func enter(_ name: String, at pcscd: IsolatedPCSCD) throws -> UInt16 {
      let entry = try ReaderEntry.virtualReader(named: name)
      try pcscd.service.restart(readers: pcscd.service.readers + [entry])
      return UInt16(entry.channel)
    }

    @Test func `four slots of two readers with similar names serve four taps at the same time`() async {
      await #expect(processExitsWith: .success) {
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        let port = try SeveralReadersTests.enter("Contactless Test", at: pcscd)
        let names = try PCSCService.readers().map(\.name).sorted()
        let second = names.filter { !pcscd.readerNames.contains($0) }
        #expect(second.count == 2 && names.count == 4)
        #expect(second.allSatisfy { $0.hasPrefix("Contactless Test 0") })
        #expect(try PCSCService.reader(matching: second[0]) == second[0])
        // A part of the names of two devices is refused.
        #expect(
          linkError { () throws(LinkError) in _ = try PCSCService.reader(matching: "contactless test") }?.code
            == .readerUnavailable)

        let places = zip(pcscd.readerNames + second, [pcscd.port, pcscd.port + 1, port, port + 1]).map { ($0, $1) }
        let taps = try places.enumerated().map { number, place in
          let link = try VPCDLink(port: place.1)
          let card = serving(link, ScriptedResponder(otherwise: [UInt8(number), 0x90, 0x00]))
          let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> Set<[UInt8]> in
            _ = try PCSCMonitor().waitForCard(in: place.0, timeout: .seconds(60))
            var answers: Set<[UInt8]> = []
            for _ in 0..<3 {
              var channel = try PCSCChannel(reader: place.0)
              for _ in 0..<50 { answers.insert(try channel.exchange(.getData(0x9F36)).data) }
              channel.close()
            }
            return answers
          }
          return (link: link, card: card, terminal: terminal)
        }
        for (number, tap) in taps.enumerated() { #expect(try tap.terminal.join() == [[UInt8(number)]]) }
        for tap in taps {
          tap.link.stop()
          try tap.card.join()
        }
      }
    }

    /// pcscd reads its serial readers only when it starts.
    @Test func `a reader that is missing after a restart of pcscd is unknown, and the others work`() async {
      await #expect(processExitsWith: .success) {
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        _ = try SeveralReadersTests.enter("Passing Reader", at: pcscd)
        let passing = try PCSCService.reader(matching: "passing reader 00 00")
        try pcscd.service.restart(readers: Array(pcscd.service.readers.prefix(1)))
        #expect(
          linkError { () throws(LinkError) in _ = try PCSCChannel(reader: passing) }?.code == .readerUnavailable)
        #expect(
          linkError { () throws(LinkError) in
            _ = try PCSCMonitor().waitForCard(in: passing, timeout: .milliseconds(100))
          }?.code == .timedOut)
        let link = try VPCDLink(port: pcscd.port)
        let card = serving(link, ScriptedResponder())
        _ = try PCSCMonitor().waitForCard(in: pcscd.readerNames[0], timeout: .seconds(30))
        var channel = try PCSCChannel(reader: pcscd.readerNames[0])
        #expect(try channel.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        channel.close()
        link.stop()
        try card.join()
      }
    }
  }
#endif

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
    private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"

    /// Configures another reader of two slots, which pcscd reads when it starts. vpcd keeps its slots in static memory,
    /// so each further reader needs its own copy of the driver.
    private static func enter(_ name: String, file: String, at pcscd: IsolatedPCSCD) throws -> UInt16 {
      let copy = "\(pcscd.directory)/\(file).so"
      // The plain name is a symbolic link to the file.
      let original = URL(filePath: driver).resolvingSymlinksInPath().path
      try FileManager.default.copyItem(atPath: original, toPath: copy)
      let port = UInt16(try ReaderEntry.virtualReader(named: name).channel)
      let entry = "FRIENDLYNAME \"\(name)\"\nDEVICENAME /dev/null:\(port)\nLIBPATH \(copy)\nCHANNELID \(port)\n"
      try entry.write(toFile: "\(pcscd.directory)/conf/\(file)", atomically: true, encoding: .utf8)
      return port
    }

    @Test func `four slots of two readers with similar names serve four taps at the same time`() async {
      await #expect(processExitsWith: .success) {
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        let port = try SeveralReadersTests.enter("Contactless Test", file: "second", at: pcscd)
        try pcscd.restart()
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

    /// pcscd does not number readers of the same name with different drivers; the name reaches the first of them.
    @Test func `two readers with the same configured name are one reader`() async {
      await #expect(processExitsWith: .success) {
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        let port = try SeveralReadersTests.enter("Contactless Test Reader", file: "twin", at: pcscd)
        try pcscd.restart()
        let names = try PCSCService.readers().map(\.name)
        #expect(names.count == 4)
        #expect(Set(names) == Set(pcscd.readerNames))
        #expect(try PCSCService.reader(matching: "READER 00 00") == pcscd.readerNames[0])
        let monitor = try PCSCMonitor()
        let seen = try (0..<2).map { _ in try monitor.next(timeout: .seconds(60))?.reader }
        #expect(Set(seen.compactMap { $0 }) == Set(names))
        #expect(try monitor.next(timeout: .milliseconds(700)) == nil)
        let links = try [pcscd.port, port].map { port in try VPCDLink(port: port) }
        let cards = links.map { serving($0, ScriptedResponder()) }
        #expect(try monitor.next(timeout: .seconds(30))?.reader == pcscd.readerNames[0])
        #expect(try monitor.next(timeout: .milliseconds(700)) == nil)
        var channel = try PCSCChannel(reader: pcscd.readerNames[0])
        #expect(try channel.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        channel.close()
        for link in links { link.stop() }
        for card in cards { try card.join() }
      }
    }

    /// pcscd reads its serial readers only when it starts.
    @Test func `a reader that is missing after a restart of pcscd is unknown, and the others work`() async {
      await #expect(processExitsWith: .success) {
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        _ = try SeveralReadersTests.enter("Passing Reader", file: "passing", at: pcscd)
        try pcscd.restart()
        let passing = try PCSCService.reader(matching: "passing reader 00 00")
        try FileManager.default.removeItem(atPath: "\(pcscd.directory)/conf/passing")
        try pcscd.restart()
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

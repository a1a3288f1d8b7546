import Glibc
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// What a chip or a terminal can do to libnfc as a card.
  struct TargetFaultTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

    @Test
    func `as a card too, libnfc ends its process on a status it does not know: a clear error, and it opens again`()
      throws
    {
      let chips = try SimulatedChips(.pair)
      let port = try MeddledPort(chips.simulator.paths[1], code: 0x87)
      defer { port.end() }
      let journal = ResponderJournal()
      do {
        let card = serving(
          NFCLink(try NFCDevice("pn532_uart:\(port.path)")), ChannelContract.responder(journal: journal))
        port.setMeddling(true)
        let terminal = try chips.open()
        let torn = linkError { () throws(LinkError) in
          var channel = try terminal.channel(responseTimeout: .seconds(1))
          _ = try channel.send(Self.selection)
        }
        #expect(torn != nil)
        let error = linkError { () throws(LinkError) in try card.join() }
        #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
        #expect(error?.reason.contains("open the reader again") == true)
        #expect(journal.commands.isEmpty && journal.fieldEvents == [.powered, .lost])
      }
      port.setMeddling(false)
      let link = NFCLink(try NFCDevice("pn532_uart:\(port.path)"))
      let card = serving(link, ChannelContract.responder())
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      link.stop()
      try card.join()
    }

    @Test func `what a chip still had to say when its card was taken away does not keep the next card away`() throws {
      let chips = try SimulatedChips(.pair)
      let port = try MeddledPort(chips.simulator.paths[1])
      defer { port.end() }
      let device = try NFCDevice("pn532_uart:\(port.path)")
      let terminal = try chips.open()
      for _ in 0..<3 {
        port.speakOutOfTurn()
        let link = NFCLink(device)
        let card = serving(link, ChannelContract.responder())
        var channel = try terminal.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        link.stop()
        try card.join()
      }
    }

    @Test(arguments: [264, 300, 1000])
    func `a terminal's command beyond libnfc's buffer ends its visit, and the next one is answered`(count: Int) throws {
      let chips = try SimulatedChips(.pair)
      let journal = ResponderJournal()
      let link = NFCLink(try chips.open(1))
      let card = serving(link, ChannelContract.responder(journal: journal))
      do {
        let terminal = try RawChip(chips.simulator.paths[0])
        _ = try terminal.run([0x12, 0x14])
        _ = try terminal.run([0x32, 0x05, 0x00, 0x01, 0x02])
        var found: [UInt8] = [0]
        for _ in 0..<200 where found.first != 1 { found = try terminal.run([0x4A, 0x01, 0x00]) }
        #expect(found.first == 1)
        try send([UInt8](repeating: 7, count: count), by: terminal)
        #expect(journal.wait(timeout: .seconds(20)) { $0.contains(.field(.lost)) }, "\(journal.entries)")
        #expect(journal.commands.isEmpty)
        // Field off: the next terminal begins anew.
        _ = try terminal.run([0x32, 0x01, 0x00])
      }
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      link.stop()
      try card.join()
    }

    /// InDataExchange in parts of 262 octets, announced by bit 6 of the target number. Nobody answers the last one.
    private func send(_ command: [UInt8], by terminal: RawChip) throws {
      var rest = command[...]
      while rest.count > 262 {
        #expect(try terminal.run([0x40, 0x41] + rest.prefix(262)) == [0x00])
        rest = rest.dropFirst(262)
      }
      _ = try? terminal.run([0x40, 0x01] + rest)
    }
  }
}

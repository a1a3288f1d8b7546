import Glibc
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// Faults of a chip or a terminal while libnfc presents a card.
  struct TargetFaultTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

    @Test
    func `a status at which libnfc aborts in the card role is serviceUnavailable, and the device opens again`()
      throws
    {
      let chips = try SimulatedChips(.pair)
      let isChanged = Flag()
      let port = try InterceptedPort(chips.simulator.paths[1], code: 0x87) { frame in
        isChanged.isRaised ? frame.withUnknownStatus : frame
      }
      defer { port.close() }
      let journal = ResponderJournal()
      do {
        let card = serving(
          NFCLink(try NFCDevice(port.connstring)), ChannelContract.responder(journal: journal))
        isChanged.raise()
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
      isChanged.lower()
      let link = NFCLink(try NFCDevice(port.connstring))
      let card = serving(link, ChannelContract.responder())
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      link.stop()
      try card.join()
    }

    @Test func `a late answer of the chip does not disturb the next card`() throws {
      let chips = try SimulatedChips(.pair)
      let isLate = Flag()
      let port = try InterceptedPort(chips.simulator.paths[1]) { octets in
        guard isLate.isRaised else { return octets }
        isLate.lower()
        return .activation + octets
      }
      defer { port.close() }
      let device = try NFCDevice(port.connstring)
      let terminal = try chips.open()
      for _ in 0..<3 {
        isLate.raise()
        let link = NFCLink(device)
        let card = serving(link, ChannelContract.responder())
        var channel = try terminal.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        link.stop()
        try card.join()
      }
    }

    @Test(arguments: [264, 300, 1000])
    func `a command that exceeds libnfc's buffer ends the tap, and the next terminal is served`(count: Int) throws {
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
        #expect(journal.wait(timeout: .seconds(60)) { $0.contains(.field(.lost)) }, "\(journal.entries)")
        #expect(journal.commands.isEmpty)
        // Field off: the next terminal starts a new tap.
        _ = try terminal.run([0x32, 0x01, 0x00])
      }
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      link.stop()
      try card.join()
    }

    /// InDataExchange in parts of 262 bytes, announced by bit 6 of the target number. The last one gets no response.
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

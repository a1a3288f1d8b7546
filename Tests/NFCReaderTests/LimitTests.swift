import Glibc
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import Synchronization
import TestSupport
import Testing

extension LibNFCTests {
  /// The longest commands and responses of libnfc, and answers that arrive after their time limit.
  struct LimitTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

    @Test(arguments: [258, 259, 262, 263])
    func `a response that fits into libnfc's buffer arrives without change`(count: Int) throws {
      let response = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let chips = try SimulatedChips(.card(ProximityIdentity()), card: ScriptedResponder(otherwise: response))
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == response)
    }

    @Test(arguments: [264, 265, 300])
    func `a response that exceeds libnfc's buffer is an error, and the next command succeeds`(count: Int) throws {
      let response = [UInt8](repeating: 9, count: count)
      let chips = try SimulatedChips(
        .card(ProximityIdentity()), card: ScriptedResponder([Self.selection: response]))
      let device = try chips.open()
      var channel = try device.channel()
      let error = linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }
      #expect(error?.code == .transmissionFailed, "\(error?.reason ?? "none")")
      var next = try device.channel()
      #expect(try next.send([0x00, 0x70, 0x00, 0x00]) == [0x6D, 0x00])
    }

    @Test(arguments: [261, 262, 263])
    func `a terminal's command that fits into libnfc's buffer is answered`(count: Int) throws {
      let chips = try SimulatedChips(.pair)
      let journal = ResponderJournal()
      let link = NFCLink(try chips.open(1))
      let card = serving(link, ChannelContract.responder(journal: journal))
      let terminal = try RawChip(chips.simulator.paths[0])
      _ = try terminal.run([0x12, 0x14])
      _ = try terminal.run([0x32, 0x05, 0x00, 0x01, 0x02])
      var found: [UInt8] = [0]
      for _ in 0..<200 where found.first != 1 { found = try terminal.run([0x4A, 0x01, 0x00]) }
      let command = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 3) }
      // InDataExchange takes 262 bytes, and more in parts: bit 6 of the target number.
      if count > 262 { #expect(try terminal.run([0x40, 0x41] + command.prefix(262)) == [0x00]) }
      #expect(try terminal.run([0x40, 0x01] + command.dropFirst(count > 262 ? 262 : 0)) == [0x00, 0x6D, 0x00])
      #expect(journal.commands == [command])
      link.stop()
      try card.join()
    }

    /// The response to InDataExchange. Without a status byte libnfc reads an uninitialised one: it returns the error of any
    /// status, or ends its process as for a status of 80 and above.
    @Test(
      arguments: [([], nil), ([0x00], .transmissionFailed), ([0x00, 0x90], .protocolViolation)]
        as [([UInt8], LinkError.Code?)])
    func `a chip's answer without a status byte or status word is an error, and the chip can be used again`(
      answer: [UInt8], code: LinkError.Code?
    ) throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      let isShort = Flag()
      let port = try InterceptedPort(chips.simulator.paths[0], code: 0x41) { frame in
        isShort.isRaised ? HSUFrame.information([0x41] + answer).octets() : frame
      }
      defer { port.close() }
      var device = try NFCDevice(port.connstring)
      var channel = try device.channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      isShort.raise()
      let error = linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }
      #expect(error != nil && (code == nil || error?.code == code), "\(error?.reason ?? "none")")
      isShort.lower()
      channel.close()
      if error?.code == .serviceUnavailable { device = try NFCDevice(port.connstring) }
      var next = try device.channel()
      #expect(try next.send(Self.selection) == [0x6D, 0x00])
    }

    /// After a timeout libnfc sleeps for 50 ms and discards what has arrived.
    @Test(arguments: [215, 230, 245, 260, 300, 400])
    func `a late answer is discarded, and the next command gets its own answer`(delay: Int) throws {
      let card = ChannelContract.responder(pace: .slow(.milliseconds(delay)))
      let chips = try SimulatedChips(.card(ProximityIdentity()), card: card)
      let device = try chips.open()
      for _ in 0..<2 {
        var late = try device.channel(responseTimeout: .milliseconds(100))
        for _ in 0..<2 {
          #expect(linkError { () throws(LinkError) in _ = try late.send(Self.selection) }?.code == .timedOut)
        }
        var next = try device.channel()
        #expect(try next.send([0x00, 0x70, 0x00, 0x00]) == [0x69, 0x85])
        #expect(try next.send(Self.selection) == [0x6D, 0x00])
      }
    }

    /// A card that polled libnfc for commands would lose those that arrive in the 50 ms between two calls.
    @Test func `a card receives every command after any pause of the terminal`() throws {
      let chips = try SimulatedChips(.pair)
      let journal = ResponderJournal()
      let link = NFCLink(try chips.open(1))
      let card = serving(link, ChannelContract.responder(journal: journal))
      // Longer than all time limits of libnfc.
      usleep(700_000)
      var channel = try chips.open().channel()
      var sent: [[UInt8]] = []
      for (number, pause) in [0, 60, 90, 100, 110, 120, 130, 140, 160, 240, 350, 370, 390, 520].enumerated() {
        usleep(UInt32(pause) * 1000)
        sent.append([0x00, 0x99, 0x00, UInt8(number)])
        #expect(try channel.send(sent[number]) == [0x6D, 0x00])
      }
      #expect(journal.commands == sent)
      #expect(journal.fieldEvents == [.powered])
      link.stop()
      try card.join()
    }
  }
}

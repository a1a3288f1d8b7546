import Glibc
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// libnfc as the terminal: one chip, and a card in its field.
  struct TerminalTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    let possessions = Possessions()

    @Test func `every APDU that libnfc can carry arrives, and the field is off afterwards`() throws {
      let journal = ResponderJournal()
      do {
        let chips = try SimulatedChips(
          .card(ProximityIdentity()), card: ChannelContract.responder(journal: journal))
        let fitting = ChannelContract.exchanges.filter {
          $0.command.count <= NFCDevice.maximumCommandCount && $0.response.count <= NFCDevice.maximumResponseCount
        }
        #expect(fitting.count == 6)
        let device = try chips.open()
        #expect(device.name.hasPrefix("pn532_uart"))
        var channel = try device.channel()
        for exchange in fitting { #expect(try channel.send(exchange.command) == exchange.response) }
        #expect(journal.commands == fitting.map(\.command))
        channel.close()
        #expect(journal.wait { $0.last == .field(.lost) })
        #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }?.code == .cardRemoved)
      }
      #expect(possessions.areBack())
    }

    @Test func `a command of 261 octets and a response of 258 pass`() throws {
      let command = [0x80, 0xE2, 0, 0, 0xFF] + [UInt8](repeating: 7, count: 255) + [0]
      let response = [UInt8](repeating: 9, count: 256) + [0x90, 0x00]
      let chips = try SimulatedChips(.card(ProximityIdentity()), card: ScriptedResponder([command: response]))
      var channel = try chips.open().channel()
      #expect(command.count == NFCDevice.maximumCommandCount && response.count == NFCDevice.maximumResponseCount)
      #expect(try channel.send(command) == response)
    }

    @Test(
      arguments: [
        ([0x08, 0x5A, 0xC3, 0x1E], [0x05, 0x78, 0x80, 0x70, 0x02], "3B80800101"),
        ([0x04, 1, 2, 3, 4, 5, 6], [0x08, 0x78, 0x80, 0x70, 0x02, 0x41, 0x42, 0x43], "3B8380014142431242"),
        ([0x04, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0x01], "3B80800101"),
      ] as [([UInt8], [UInt8], String)])
    func `the card's identifier and historical bytes are told`(
      identifier: [UInt8], answer: [UInt8], reset: String
    ) throws {
      let chips = try SimulatedChips(.card(ProximityIdentity(identifier: identifier, answerToSelect: answer)))
      let channel = try chips.open().channel()
      let (found, identity) = (channel.cardIdentifier, channel.identity)
      #expect(found == identifier)
      #expect(identity.answerToReset.hex.hasPrefix(reset.prefix(8)))
      #expect(identity.protocolName == "T=CL")
    }

    @Test(arguments: [0, 262, 263, 300, 65_000])
    func `a command that would end libnfc's process is refused with its length, and the device goes on`(
      count: Int
    ) throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      let device = try chips.open()
      var channel = try device.channel()
      let error = linkError { () throws(LinkError) in _ = try channel.send([UInt8](repeating: 0, count: count)) }
      #expect(error?.code == .transmissionFailed)
      #expect(error?.reason.contains("\(count) octets") == true, "\(error?.reason ?? "")")
      var next = try device.channel()
      #expect(try next.send(Self.selection) == [0x6D, 0x00])
    }

    @Test func `a response beyond libnfc's buffer is an error, and the device goes on`() throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      let device = try chips.open()
      var channel = try device.channel()
      let long: [UInt8] = [0x00, 0xB2, 0x03, 0x0C, 0x00, 0x0F, 0xA0]
      #expect(linkError { () throws(LinkError) in _ = try channel.send(long) }?.code == .transmissionFailed)
      var next = try device.channel()
      #expect(try next.send(Self.selection) == [0x6D, 0x00])
    }

    @Test func `no card is told after the time for it, and one that comes meanwhile is found`() throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      chips.simulator.setCoupled(false)
      let device = try chips.open()
      #expect(
        linkError { () throws(LinkError) in _ = try device.channel(timeout: .milliseconds(300)) }?.code == .timedOut)
      let coming = DedicatedThread(named: "card") { () throws(LinkError) in
        // Longer than libnfc needs to look once.
        usleep(200_000)
        chips.simulator.setCoupled(true)
      }
      var channel = try device.channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      try coming.join()
    }

    @Test func `a card that leaves between two commands is removed, and another one is found`() throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()), timing: FieldTiming(waitingTimeDivisor: 4))
      let device = try chips.open()
      var channel = try device.channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      chips.simulator.setCoupled(false)
      #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }?.code == .cardRemoved)
      #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }?.code == .cardRemoved)
      chips.simulator.setCoupled(true)
      var next = try device.channel()
      #expect(try next.send(Self.selection) == [0x6D, 0x00])
    }

    @Test(arguments: 2...5)
    func `a card that leaves in the middle of a command is removed`(frame: Int) throws {
      let chips = try SimulatedChips(
        .card(ProximityIdentity()), timing: FieldTiming(waitingTimeDivisor: 4),
        faults: .at([frame: .tear(absence: nil)]))
      let device = try chips.open()
      var channel = try device.channel()
      let error = linkError { () throws(LinkError) in
        for _ in 0..<3 { _ = try channel.send(Self.selection) }
      }
      #expect(error?.code == .cardRemoved)
      #expect(
        linkError { () throws(LinkError) in _ = try device.channel(timeout: .milliseconds(100)) }?.code == .timedOut)
    }

    @Test func `a lost frame is repeated by the chip`() throws {
      let chips = try SimulatedChips(
        .card(ProximityIdentity()), timing: FieldTiming(waitingTimeDivisor: 4), faults: .at([1: .drop, 4: .corrupt]))
      var channel = try chips.open().channel()
      for _ in 0..<3 { #expect(try channel.send(Self.selection) == [0x6D, 0x00]) }
      #expect(chips.simulator.frameCounts.faulty == 2)
    }

    @Test func `a card that is slow is waited for; one that is late closes its channel and can be selected anew`()
      throws
    {
      let card = ChannelContract.responder(mood: .slow(.milliseconds(700)))
      let chips = try SimulatedChips(.card(ProximityIdentity()), card: card)
      let device = try chips.open()
      var channel = try device.channel(responseTimeout: .milliseconds(200))
      #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }?.code == .timedOut)
      #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }?.code == .timedOut)
      var next = try device.channel()
      // Its own answer, not that to the command before.
      #expect(try next.send([0x00, 0x70, 0x00, 0x00]) == [0x69, 0x85])
    }
  }
}

#if PCSC
  import Glibc
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  extension RealReaderTests.ChipTests {
    /// The chip as the terminal: one reader, and a card in its field.
    struct ACR122TerminalTests {
      static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

      private func plug(
        _ identity: ProximityIdentity = ProximityIdentity(), announces: Bool = false,
        driverPatience: Duration? = nil, timing: FieldTiming = FieldTiming(), faults: FaultPlan = .none,
        card: ScriptedResponder = ChannelContract.responder()
      ) throws -> SimulatedReaders {
        try ChipDesk.slots.plug(
          .card(identity), driverPatience: driverPatience, announces: announces, timing: timing, faults: faults,
          card: card)
      }

      @Test(arguments: [false, true])
      func `every APDU that the escape commands can carry arrives, and the field is off afterwards`(
        announces: Bool
      ) throws {
        let journal = ResponderJournal()
        let readers = try plug(announces: announces, card: ChannelContract.responder(journal: journal))
        let fitting = ChannelContract.exchanges.filter { $0.command.count <= ACR122Device.maximumCommandCount }
        #expect(fitting.count == 6)
        let device = try ChipDesk.open()
        var channel = try device.channel()
        for exchange in fitting { #expect(try channel.send(exchange.command) == exchange.response) }
        for exchange in [ChannelContract.announced, ChannelContract.corrected] {
          #expect(try channel.assembled(exchange.apdu).encoded == exchange.response)
        }
        #expect(journal.commands.prefix(6) == fitting.map(\.command)[...])
        channel.close()
        #expect(journal.wait { $0.last == .field(.lost) })
        #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }?.code == .cardRemoved)
        try readers.unplug()
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
        let readers = try plug(ProximityIdentity(identifier: identifier, answerToSelect: answer))
        let channel = try ChipDesk.open().channel()
        let (found, identity) = (channel.cardIdentifier, channel.identity)
        #expect(found == identifier)
        #expect(identity.answerToReset.hex.hasPrefix(reset.prefix(8)))
        _ = readers
      }

      @Test(arguments: [0, 253, 254, 255, 256, 300, 65_000])
      func `a command that no escape command holds is refused with its length, and the device goes on`(
        count: Int
      ) throws {
        let readers = try plug()
        let device = try ChipDesk.open()
        var channel = try device.channel()
        let error = linkError { () throws(LinkError) in _ = try channel.send([UInt8](repeating: 0, count: count)) }
        #expect(error?.code == .transmissionFailed)
        #expect(error?.reason.contains("\(count) octets") == true, "\(error?.reason ?? "")")
        var next = try device.channel()
        #expect(try next.send(Self.selection) == [0x6D, 0x00])
        _ = readers
      }

      @Test func `no card is told after the time for it, and one that comes meanwhile is found`() throws {
        let readers = try plug()
        readers.reader.setCoupled(false)
        let device = try ChipDesk.open()
        let missing = linkError { () throws(LinkError) in _ = try device.channel(timeout: .milliseconds(300)) }
        #expect(missing?.code == .timedOut)
        let coming = DedicatedThread(named: "card") { () throws(LinkError) in
          usleep(200_000)
          readers.reader.setCoupled(true)
        }
        var channel = try device.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        try coming.join()
      }

      @Test func `a card that leaves between two commands is removed, and another one is found`() throws {
        let readers = try plug(timing: FieldTiming(waitingTimeDivisor: 4))
        let device = try ChipDesk.open()
        var channel = try device.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        readers.reader.setCoupled(false)
        for _ in 0..<2 {
          #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }?.code == .cardRemoved)
        }
        readers.reader.setCoupled(true)
        var next = try device.channel()
        #expect(try next.send(Self.selection) == [0x6D, 0x00])
      }

      @Test(arguments: 2...5)
      func `a card that leaves in the middle of a command is removed`(frame: Int) throws {
        let readers = try plug(
          timing: FieldTiming(waitingTimeDivisor: 4), faults: .at([frame: .tear(absence: nil)]))
        let device = try ChipDesk.open()
        var channel = try device.channel()
        let error = linkError { () throws(LinkError) in for _ in 0..<3 { _ = try channel.send(Self.selection) } }
        #expect(error?.code == .cardRemoved)
        let nothing = linkError { () throws(LinkError) in _ = try device.channel(timeout: .milliseconds(100)) }
        #expect(nothing?.code == .timedOut)
        _ = readers
      }

      @Test func `a card that is late closes its channel, and can be selected anew`() throws {
        let readers = try plug(card: ChannelContract.responder(mood: .slow(.milliseconds(700))))
        let device = try ChipDesk.open()
        var channel = try device.channel(responseTimeout: .milliseconds(200))
        for _ in 0..<2 {
          #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }?.code == .timedOut)
        }
        var next = try device.channel()
        // Its own answer, not that to the command before.
        #expect(try next.send([0x00, 0x70, 0x00, 0x00]) == [0x69, 0x85])
        _ = readers
      }

      @Test func `a card slower than the driver is late, and the device goes on`() throws {
        let card = try ServedChipCard(mood: .slow(.seconds(2)), driverPatience: .milliseconds(600))
        let device = try ChipDesk.open()
        var channel = try device.channel()
        let error = linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }
        #expect(error?.code == .timedOut, "\(error?.reason ?? "none")")
        #expect(error?.reason.contains("as long as the reader waits") == true)
        let next = try device.channel()
        #expect(next.cardIdentifier.count == 4)
        card.link.stop()
        try card.readers.unplug()
      }

      @Test func `a reader that is unplugged in the middle of a command is told, and works when it is back`() throws {
        let (gate, journal) = (ScriptedResponder.Gate(), ResponderJournal())
        let readers = try plug(card: ChannelContract.responder(mood: .held(gate), journal: journal))
        let device = try ChipDesk.open()
        let terminal = DedicatedThread(named: "terminal") { () -> LinkError? in
          linkError { () throws(LinkError) in
            var channel = try device.channel()
            _ = try channel.send(Self.selection)
          }
        }
        try #require(journal.wait { $0.contains(.command(Self.selection)) })
        readers.reader.stop()
        gate.open()
        let error = terminal.join()
        #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
        try readers.unplug()
        device.close()
        let again = try plug()
        let next = try ChipDesk.open()
        var channel = try next.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        try again.unplug()
      }
    }
  }
#endif

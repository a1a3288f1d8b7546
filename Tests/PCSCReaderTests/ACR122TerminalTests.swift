#if PCSC
  import Links
  import Octets
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  extension RealReaderTests.ChipTests {
    /// The chip as the terminal: one reader with a card in its field.
    struct ACR122TerminalTests {
      static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

      @Test(arguments: ChipContract<ChipReaders>.terminal)
      func contract(rule: ChipContract<ChipReaders>) throws { try rule.check() }

      @Test func `an answer that the reader announces with 61xx is fetched`() throws {
        let readers = try SharedChipReaders.slots.plug(.card(ProximityIdentity()), announces: true)
        var channel = try SharedChipReaders.open().channel()
        for exchange in ChannelContract.exchanges where exchange.command.count <= ACR122Device.maximumCommandCount {
          #expect(try channel.send(exchange.command) == exchange.response)
        }
        channel.close()
        try readers.unplug()
      }

      @Test func `two cards in the field are an error, and one of them is served when the other one has left`() throws {
        let readers = try SharedChipReaders.slots.plug(.card(ProximityIdentity()), announces: false)
        readers.reader.setSecondCard(true)
        let device = try SharedChipReaders.open()
        let error = linkError { () throws(LinkError) in _ = try device.channel() }
        #expect(error?.code == .severalCards, "\(error?.reason ?? "none")")
        readers.reader.setSecondCard(false)
        var channel = try device.channel()
        #expect(try channel.send(ChannelContract.exchanges[0].command) == ChannelContract.exchanges[0].response)
        channel.close()
        try readers.unplug()
      }

      @Test func `a card that is slower than the driver is a timeout, and the next card is served`() throws {
        let card = try ServedChipCard(pace: .slow(.seconds(2)), driverTimeout: .milliseconds(600))
        let device = try SharedChipReaders.open()
        var channel = try device.channel()
        let error = linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }
        #expect(error?.code == .timedOut, "\(error?.reason ?? "none")")
        #expect(error?.reason.contains("within the reader's own limit") == true)
        let next = try device.channel()
        #expect(next.cardIdentifier.count == 4)
        try card.takeOut()
      }
    }
  }
#endif

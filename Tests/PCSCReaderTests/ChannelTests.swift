#if PCSC
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import TestSupport
  import Testing
  import VirtualCard

  extension RealReaderTests {
    @Suite struct ChannelTests {
      @Test func `a PC/SC channel fulfils the contract of a channel`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ChannelContract.responder(journal: journal))
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        for exchange in ChannelContract.exchanges {
          #expect(try channel.exchange(exchange.apdu).encoded == exchange.response, "\(exchange)")
        }
        for exchange in [ChannelContract.announced, ChannelContract.corrected] {
          #expect(try channel.exchange(exchange.apdu).encoded != exchange.response, "\(exchange)")
          #expect(try channel.assembled(exchange.apdu).encoded == exchange.response, "\(exchange)")
        }
        #expect(journal.commands.prefix(8).elementsEqual(ChannelContract.exchanges.map(\.command)))
        channel.close()
        try card.takeOut()
      }

      @Test func `the longest response of the virtual reader arrives without change`() throws {
        let longest = (0..<65_533).map { UInt8(truncatingIfNeeded: $0) } + [0x90, 0x00]
        let card = try SharedPCSCD.present(ScriptedResponder(otherwise: longest))
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        let command = try CommandAPDU(cla: 0, ins: 0xB2, p1: 1, p2: 0x0C, expectedLength: 65_536)
        #expect(try channel.exchange(command).encoded == longest)
        channel.close()
        try card.takeOut()
      }

      @Test func `a channel reports the answer to reset and the protocol`() throws {
        let answerToReset = AnswerToReset.contactless(historicalBytes: [0x80, 0x31, 0xC0])
        let link = try SharedPCSCD.link(answerToReset: answerToReset)
        let card = PresentedCard(link: link, thread: serving(link, ScriptedResponder()))
        #expect(try PCSCMonitor().waitForCard(in: SharedPCSCD.reader(), timeout: .seconds(30)) == answerToReset)
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        #expect(channel.identity == CardIdentity(answerToReset: answerToReset, protocolName: "T=1"))
        channel.close()
        try card.takeOut()
      }

      @Test func `closing a channel resets the card for the next tap`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ChannelContract.responder(journal: journal))
        let select = try ChannelContract.exchanges[0].apdu
        for _ in 0..<2 {
          var channel = try PCSCChannel(reader: SharedPCSCD.reader())
          _ = try channel.exchange(select)
          channel.close()
          channel.close()
          #expect(linkError { () throws(LinkError) in _ = try channel.exchange(select) }?.code == .cardRemoved)
        }
        try card.takeOut()
        let command = ResponderJournal.Entry.command(select.encoded)
        let tail: [ResponderJournal.Entry] = [command, .field(.reset), command, .field(.reset), .field(.lost)]
        #expect(journal.entriesInUse == [.field(.powered)] + tail)
      }

      @Test func `releasing a channel resets the card`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        do { _ = try PCSCChannel(reader: SharedPCSCD.reader()) }
        #expect(journal.wait { $0.last == .field(.reset) })
        try card.takeOut()
      }

      @Test func `a response that does not fit is an error, not a trap`() throws {
        let card = try SharedPCSCD.present(ChannelContract.responder())
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        let command = ChannelContract.exchanges[3].command
        var room = [UInt8](repeating: 0, count: 257)
        let failure = linkError { () throws(LinkError) in
          _ = try room.withMutableOctets { (room) throws(LinkError) in
            try channel.transmit(command.span, into: &room)
          }
        }
        #expect(failure?.code == .protocolViolation)
        #expect(failure?.reason.contains("SCARD_E_INSUFFICIENT_BUFFER") == true)
        try card.takeOut()
      }

      @Test func `an empty reader and an unknown reader are different errors`() throws {
        let reader = try SharedPCSCD.reader()
        let empty = linkError { () throws(LinkError) in _ = try PCSCChannel(reader: reader) }
        #expect(empty?.code == .cardRemoved)
        #expect(empty?.reason.contains(reader) == true)
        let unknown = linkError { () throws(LinkError) in _ = try PCSCChannel(reader: "No Such Reader") }
        #expect(unknown?.code == .readerUnavailable)
      }

      @Test func `two cards in two slots give their own responses`() throws {
        let cards = try (0..<2).map { slot in
          try SharedPCSCD.present(ScriptedResponder(otherwise: [UInt8(slot), 0x90, 0x00]), in: slot)
        }
        let terminals = try (0..<2).map { slot in
          let reader = try SharedPCSCD.reader(slot)
          return DedicatedThread(named: "terminal") { () throws(LinkError) -> Set<[UInt8]> in
            var channel = try PCSCChannel(reader: reader)
            var answers: Set<[UInt8]> = []
            for _ in 0..<200 { answers.insert(try channel.exchange(.getData(0x9F36)).data) }
            return answers
          }
        }
        #expect(try terminals[0].join() == [[0]])
        #expect(try terminals[1].join() == [[1]])
        for slot in 0..<2 { try cards[slot].takeOut(of: slot) }
      }
    }
  }
#endif

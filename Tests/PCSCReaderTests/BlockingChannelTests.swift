#if PCSC
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import TestSupport
  import Testing
  import VirtualCard

  extension RealReaderTests {
    @Suite("A PC/SC channel on the caller's thread") struct BlockingChannelTests {
      private static let getData = CommandAPDU.getData(0x9F36)

      @Test func `a blocking channel fulfils the contract of a channel, and resets the card at its end`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ChannelContract.responder(journal: journal))
        var channel = try PCSCBlockingChannel(reader: SharedPCSCD.reader())
        #expect(channel.identity.protocolName == "T=1")
        for exchange in ChannelContract.exchanges {
          #expect(try channel.exchange(exchange.apdu).encoded == exchange.response, "\(exchange)")
        }
        for exchange in [ChannelContract.announced, ChannelContract.corrected] {
          #expect(try channel.assembled(exchange.apdu).encoded == exchange.response, "\(exchange)")
        }
        channel.close()
        channel.close()
        #expect(linkError { () throws(LinkError) in _ = try channel.exchange(Self.getData) }?.code == .cardRemoved)
        #expect(journal.wait { $0.last == .field(.reset) })
        try card.takeOut()
      }

      @Test func `releasing a blocking channel resets the card`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        do { _ = try PCSCBlockingChannel(reader: SharedPCSCD.reader()) }
        #expect(journal.wait { $0.last == .field(.reset) })
        try card.takeOut()
      }

      @Test(arguments: [true, false])
      func `a card that is removed is one error, and the next card works`(isDuringCommand: Bool) throws {
        let journal = ResponderJournal()
        let gate = ScriptedResponder.Gate()
        let card = try SharedPCSCD.present(
          isDuringCommand ? ScriptedResponder(pace: .held(gate), journal: journal) : ScriptedResponder())
        let reader = try SharedPCSCD.reader()
        if !isDuringCommand {
          var channel = try PCSCBlockingChannel(reader: reader)
          card.link.stop()
          try card.thread.join()
          #expect(linkError { () throws(LinkError) in _ = try channel.exchange(Self.getData) }?.code == .cardRemoved)
          #expect(linkError { () throws(LinkError) in _ = try channel.exchange(Self.getData) }?.code == .cardRemoved)
        } else {
          let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> LinkError.Code? in
            var channel = try PCSCBlockingChannel(reader: reader)
            return linkError { () throws(LinkError) in _ = try channel.exchange(Self.getData) }?.code
          }
          #expect(journal.wait { $0.last == .command(Self.getData.encoded) })
          card.link.stop()
          gate.open()
          #expect(try terminal.join() == .cardRemoved)
        }
        try card.takeOut()
        let next = try SharedPCSCD.present(ScriptedResponder())
        var channel = try PCSCBlockingChannel(reader: reader)
        #expect(try channel.exchange(Self.getData).status == .instructionNotSupported)
        channel.close()
        try next.takeOut()
      }

      @Test(arguments: [3, 65_536])
      func `a command that no reader can pass on is refused before it is sent`(count: Int) throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        var channel = try PCSCBlockingChannel(reader: SharedPCSCD.reader())
        let command = [UInt8](repeating: 0, count: count)
        var room = [UInt8](repeating: 0, count: shortResponseCapacity)
        let failure = linkError { () throws(LinkError) in
          _ = try room.withMutableOctets { (room) throws(LinkError) in try channel.transmit(command.span, into: &room) }
        }
        #expect(failure?.code == .transmissionFailed)
        #expect(failure?.reason.contains("the limits are 4 and 65535") == true)
        #expect(journal.commands.isEmpty)
        try card.takeOut()
      }

      @Test func `an empty reader, an unknown reader and a shared card are different errors`() throws {
        let reader = try SharedPCSCD.reader()
        #expect(linkError { () throws(LinkError) in _ = try PCSCBlockingChannel(reader: reader) }?.code == .cardRemoved)
        let unknown = linkError { () throws(LinkError) in _ = try PCSCBlockingChannel(reader: "No Such Reader") }
        #expect(unknown?.code == .readerUnavailable)
        let card = try SharedPCSCD.present(ScriptedResponder())
        let first = try PCSCBlockingChannel(reader: reader)
        let second = linkError { () throws(LinkError) in
          _ = try PCSCBlockingChannel(reader: reader, patience: .milliseconds(60))
        }
        #expect(second?.code == .busy)
        _ = consume first
        try card.takeOut()
      }

      @Test func `a field without a response limit opens a blocking channel`() throws {
        let card = try SharedPCSCD.present(ScriptedResponder())
        var field = PCSCField(reader: try SharedPCSCD.reader(), responseLimit: nil)
        var visitor = KindVisitor()
        try field.nextCard(after: .zero, timeout: .seconds(30), &visitor)
        #expect(visitor.kind == "PCSCBlockingChannel")
        try card.takeOut()
      }

      private struct KindVisitor: CardVisitor {
        var kind = ""

        mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) { kind = "\(Channel.self)" }
      }
    }
  }
#endif

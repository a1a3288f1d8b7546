#if PCSC
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import TestSupport
  import Testing

  extension RealReaderTests {
    /// Two channels at one reader.
    @Suite struct SharingTests {
      @Test func `a second channel is busy, and the first one continues`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        let reader = try SharedPCSCD.reader()
        var first = try PCSCChannel(reader: reader)
        let second = linkError { () throws(LinkError) in
          _ = try PCSCChannel(reader: reader, patience: .milliseconds(120))
        }
        #expect(second?.code == .busy)
        #expect(try PCSCService.readers().first { $0.name == reader }?.isExclusive == true)
        #expect(try first.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        #expect(journal.fieldEvents == [.powered])
        first.close()
        try card.takeOut()
      }

      @Test func `a second channel that waits opens when the first one has closed`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        let reader = try SharedPCSCD.reader()
        var first = try PCSCChannel(reader: reader)
        let second = DedicatedThread(named: "second") { () throws(LinkError) -> StatusWord in
          var channel = try PCSCChannel(reader: reader, patience: .seconds(30))
          return try channel.exchange(.getData(0x9F36)).status
        }
        #expect(try second.join(timeout: .milliseconds(150)) == nil)
        #expect(try first.exchange(.getData(0x9F17)).status == .instructionNotSupported)
        first.close()
        #expect(try second.join() == .instructionNotSupported)
        #expect(journal.wait { $0.filter { $0 == .field(.reset) }.count == 2 })
        try card.takeOut()
        let commands = [0x9F17, 0x9F36].map { ResponderJournal.Entry.command(CommandAPDU.getData($0).encoded) }
        let reset = ResponderJournal.Entry.field(.reset)
        #expect(journal.entriesInUse == [.field(.powered), commands[0], reset, commands[1], reset, .field(.lost)])
      }

      /// `SCardConnect` itself blocks without a limit here.
      @Test func `another program's transaction delays a channel for at most its patience`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        let reader = try SharedPCSCD.reader()
        let other = try PCSCContext().connect(to: reader, sharing: .shared).beginTransaction()
        let session = linkError { () throws(LinkError) in
          _ = try PCSCChannel(reader: reader, patience: .milliseconds(150))
        }
        #expect(session?.code == .busy)
        let command = CommandAPDU.getData(0x9F36).encoded
        var room = [UInt8](repeating: 0, count: 258)
        let count = try room.withMutableOctets { (room) throws(PCSCError) in
          try other.card.transmit(command.span, into: &room)
        }
        #expect(Array(room.prefix(count)) == [0x6D, 0x00])
        try other.end().disconnect(.leave).release()
        #expect(journal.fieldEvents == [.powered])
        try card.takeOut()
      }

      /// The abandoned attempt is still inside `SCardConnect` when the other program ends, and must have no effect.
      @Test func `an abandoned attempt does not connect to the card later`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        let reader = try SharedPCSCD.reader()
        let other = try PCSCContext().connect(to: reader, sharing: .shared).beginTransaction()
        for _ in 0..<3 {
          let session = linkError { () throws(LinkError) in
            _ = try PCSCChannel(reader: reader, patience: .milliseconds(50))
          }
          #expect(session?.code == .busy)
        }
        try other.end().disconnect(.leave).release()
        var next = try PCSCChannel(reader: reader, patience: .seconds(60))
        #expect(try next.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        #expect(journal.fieldEvents == [.powered])
        #expect(try next.exchange(.getData(0x9F17)).status == .instructionNotSupported)
        next.close()
        #expect(journal.fieldEvents == [.powered, .reset])
        try card.takeOut()
      }

      @Test func `another program's slow command delays a channel for at most its patience`() throws {
        let journal = ResponderJournal()
        let gate = ScriptedResponder.Gate()
        let card = try SharedPCSCD.present(ScriptedResponder(pace: .held(gate), journal: journal))
        let reader = try SharedPCSCD.reader()
        let slow = DedicatedThread(named: "slow") { () throws(LinkError) in
          var channel = try PCSCChannel(reader: reader)
          return try channel.exchange(.getData(0x9F36)).status
        }
        #expect(journal.wait { $0.last == .command(CommandAPDU.getData(0x9F36).encoded) })
        let session = linkError { () throws(LinkError) in
          _ = try PCSCChannel(reader: reader, patience: .milliseconds(150))
        }
        #expect(session?.code == .busy)
        gate.open()
        #expect(try slow.join() == .instructionNotSupported)
        try card.takeOut()
        #expect(journal.commands.count == 1)
      }

      /// The card's journal records the order.
      @Test func `channels that are opened at the same time never mix their commands`() throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        let reader = try SharedPCSCD.reader()
        let sessions = (0..<4).map { number in
          DedicatedThread(named: "session") { () throws(LinkError) in
            for _ in 0..<3 {
              var channel = try PCSCChannel(reader: reader, patience: .seconds(120))
              for step in 0..<5 { _ = try channel.exchange(.getData(UInt16(0x9F00 + number * 16 + step))) }
              channel.close()
            }
          }
        }
        for session in sessions { try session.join() }
        try card.takeOut()
        let groups = journal.entries.split(separator: .field(.reset)).dropLast().map { group in
          group.compactMap { if case .command(let octets) = $0 { octets } else { nil } }
        }
        #expect(groups.count == 12)
        for group in groups {
          let first = try #require(group.first?[3])
          let expected = (0..<5).map { CommandAPDU.getData(UInt16(0x9F00) + UInt16(first) + $0).encoded }
          #expect(group == expected)
        }
      }

      @Test func `a card in shared use is busy for an exclusive connection`() throws {
        let card = try SharedPCSCD.present(ScriptedResponder())
        let reader = try SharedPCSCD.reader()
        let other = try PCSCContext().connect(to: reader, sharing: .shared)
        #expect(try PCSCService.readers().first { $0.name == reader }?.isInUse == true)
        let session = linkError { () throws(LinkError) in _ = try PCSCChannel(reader: reader, patience: .zero) }
        #expect(session?.code == .busy)
        _ = try other.disconnect()
        #expect(linkError { () throws(LinkError) in _ = try PCSCChannel(reader: reader) } == nil)
        try card.takeOut()
      }

      @Test(arguments: [(PCSCDisposition.leave, false), (.reset, true)])
      func `the end of a connection has the requested effect on the card`(
        disposition: PCSCDisposition, isReset: Bool
      ) throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        let transaction = try PCSCContext().connect(to: SharedPCSCD.reader()).beginTransaction()
        #expect(try transaction.card.status().answerToReset == [0x3B, 0x80, 0x80, 0x01, 0x01])
        try transaction.end().disconnect(disposition).release()
        try card.takeOut()
        #expect(journal.fieldEvents == (isReset ? [.powered, .reset, .lost] : [.powered, .lost]))
      }
    }
  }
#endif

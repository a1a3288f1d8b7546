#if PCSC
  import ISO7816
  import Links
  import PCSCReader
  import TestSupport
  import Testing
  import VirtualCard

  extension RealReaderTests {
    @Suite struct TearingTests {
      @Test func `a card torn out in the middle of a command ends in one error, and stays ended`() throws {
        let journal = ResponderJournal()
        let gate = ScriptedResponder.Gate()
        let card = try Desk.present(ScriptedResponder(pace: .held(gate), journal: journal))
        let reader = try Desk.reader()
        let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> [LinkError.Code?] in
          var channel = try PCSCChannel(reader: reader)
          return (0..<2).map { _ in
            linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }?.code
          }
        }
        #expect(journal.wait { $0.last == .command(CommandAPDU.getData(0x9F36).encoded) })
        card.link.stop()
        gate.open()
        #expect(try terminal.join() == [.cardRemoved, .cardRemoved])
        try card.takeOut()
      }

      @Test func `a card torn out between two commands ends in one error`() throws {
        let card = try Desk.present(ScriptedResponder())
        var channel = try PCSCChannel(reader: Desk.reader())
        #expect(try channel.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        card.link.stop()
        try card.thread.join()
        // At once, before the service has noticed, the library only says that the exchange failed.
        let failure = linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }
        #expect(failure?.code == .cardRemoved)
        try card.takeOut()
      }

      @Test func `a card torn out and noticed ends in the same error`() throws {
        let card = try Desk.present(ScriptedResponder())
        var channel = try PCSCChannel(reader: Desk.reader())
        try card.takeOut()
        let failure = linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }
        #expect(failure?.code == .cardRemoved)
      }

      @Test func `after a tear the next card in the same reader works`() throws {
        for _ in 0..<2 {
          let card = try Desk.present(ScriptedResponder())
          var channel = try PCSCChannel(reader: Desk.reader())
          #expect(try channel.exchange(.getData(0x9F36)).status == .instructionNotSupported)
          try card.takeOut()
        }
      }

      @Test func `taking the card away ends its side in time`() throws {
        var isInTime = false
        for _ in 0..<5 where !isInTime {
          let card = try Desk.present(ScriptedResponder())
          let time = try ContinuousClock().measure {
            card.link.stop()
            card.link.stop()
            try card.thread.join()
          }
          isInTime = time <= .milliseconds(100)
          try card.takeOut()
        }
        #expect(isInTime)
      }
    }
  }
#endif

#if PCSC
  import ISO7816
  import Links
  import PCSCReader
  import TestSupport
  import Testing
  import VirtualCard

  extension RealReaderTests {
    @Suite struct TearingTests {
      @Test func `a card that is removed during a command is one error, and its channel remains closed`() throws {
        let journal = ResponderJournal()
        let gate = ScriptedResponder.Gate()
        let card = try SharedPCSCD.present(ScriptedResponder(pace: .held(gate), journal: journal))
        let reader = try SharedPCSCD.reader()
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

      @Test func `a card that is removed between two commands is one error`() throws {
        let card = try SharedPCSCD.present(ScriptedResponder())
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        #expect(try channel.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        card.link.stop()
        try card.thread.join()
        // Before the service has detected the removal, the library only reports a failed exchange.
        let failure = linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }
        #expect(failure?.code == .cardRemoved)
        try card.takeOut()
      }

      @Test func `a card whose removal was detected is the same error`() throws {
        let card = try SharedPCSCD.present(ScriptedResponder())
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        try card.takeOut()
        let failure = linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }
        #expect(failure?.code == .cardRemoved)
      }

      @Test func `the next card in the same reader works after a removal`() throws {
        for _ in 0..<2 {
          let card = try SharedPCSCD.present(ScriptedResponder())
          var channel = try PCSCChannel(reader: SharedPCSCD.reader())
          #expect(try channel.exchange(.getData(0x9F36)).status == .instructionNotSupported)
          try card.takeOut()
        }
      }

      @Test func `removing the card ends its link within 100 ms`() throws {
        var isInTime = false
        for _ in 0..<5 where !isInTime {
          let card = try SharedPCSCD.present(ScriptedResponder())
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

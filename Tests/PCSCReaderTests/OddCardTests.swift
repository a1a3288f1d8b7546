#if PCSC
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import TestSupport
  import Testing

  extension RealReaderTests {
    /// Cards that break the rules for cards.
    @Suite struct OddCardTests {
      private func raw(_ answer: [UInt8]?, answerToReset: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]) throws -> RawCard {
        let card = try RawCard(port: SharedPCSCD.pcscd.port, answer: answer, answerToReset: answerToReset)
        _ = try PCSCMonitor().waitForCard(in: SharedPCSCD.reader(), timeout: .seconds(30))
        return card
      }

      private func takeOut(_ card: RawCard) throws {
        card.takeOut()
        try SharedPCSCD.waitUntilEmpty()
      }

      private func failure(_ channel: inout PCSCChannel) -> LinkError? {
        do throws(LinkError) {
          _ = try channel.exchange(.getData(0x9F36))
          return nil
        } catch {
          return error
        }
      }

      @Test func `a response of 1 byte is a protocol violation, and the reader remains usable`() throws {
        let odd = try raw([0x90])
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        let failure = failure(&channel)
        #expect(failure?.code == .protocolViolation)
        #expect(failure?.reason.contains("a response of 1 byte") == true)
        try takeOut(odd)
        let card = try SharedPCSCD.present(ScriptedResponder())
        var next = try PCSCChannel(reader: SharedPCSCD.reader())
        #expect(try next.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        next.close()
        try card.takeOut()
      }

      /// vpcd ignores an empty frame and waits for another one.
      @Test func `a response of 0 bytes is a timeout, and the reader remains usable`() throws {
        let odd = try raw([])
        var channel = try PCSCChannel(reader: SharedPCSCD.reader(), responseLimit: .milliseconds(300))
        #expect(failure(&channel)?.code == .timedOut)
        try takeOut(odd)
        let card = try SharedPCSCD.present(ScriptedResponder())
        var next = try PCSCChannel(reader: SharedPCSCD.reader())
        #expect(try next.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        next.close()
        try card.takeOut()
      }

      @Test func `a card that never answers is a timeout, and its channel remains closed`()
        throws
      {
        let silent = try raw(nil)
        var channel = try PCSCChannel(reader: SharedPCSCD.reader(), responseLimit: .milliseconds(300))
        let failures = (0..<2).map { _ in failure(&channel) }
        #expect(failures.map(\.?.code) == [.timedOut, .timedOut])
        #expect(failures[0]?.reason.contains("no response from the card within 300 ms") == true)
        channel.close()
        try takeOut(silent)
        let card = try SharedPCSCD.present(ScriptedResponder())
        var next = try PCSCChannel(reader: SharedPCSCD.reader())
        #expect(try next.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        next.close()
        try card.takeOut()
      }

      @Test func `a card that answers too late is reset, and the next channel never receives that answer`() throws {
        let journal = ResponderJournal()
        let gate = ScriptedResponder.Gate()
        let card = try SharedPCSCD.present(
          ScriptedResponder(otherwise: [0x90, 0x00], pace: .held(gate), journal: journal))
        var late = try PCSCChannel(reader: SharedPCSCD.reader(), responseLimit: .milliseconds(200))
        #expect(failure(&late)?.code == .timedOut)
        // The reader is still busy with the abandoned command.
        let reader = try SharedPCSCD.reader()
        let busy = linkError { () throws(LinkError) in
          _ = try PCSCChannel(reader: reader, patience: .milliseconds(200))
        }
        #expect(busy?.code == .busy)
        gate.open()
        #expect(journal.wait { $0.last == .field(.reset) })
        var next = try PCSCChannel(reader: reader)
        #expect(try next.exchange(.getData(0x9F17)).encoded == [0x90, 0x00])
        next.close()
        try card.takeOut()
        let commands = [0x9F36, 0x9F17].map { ResponderJournal.Entry.command(CommandAPDU.getData($0).encoded) }
        let reset = ResponderJournal.Entry.field(.reset)
        #expect(journal.entriesInUse == [.field(.powered), commands[0], reset, commands[1], reset, .field(.lost)])
      }

      /// Answer to reset, protocol.
      static let answersToReset: [([UInt8], String)] = [
        ([0x3B, 0x00], "T=0"),
        ([0x3B, 0x80, 0x01, 0x81], "T=1"),
        ([0x3B, 0x80, 0x80, 0x01, 0x01], "T=1"),
        ([0x3F, 0x00], "T=0"),
        ([0x3B, 0x8F, 0x80, 0x01] + [UInt8](repeating: 0x41, count: 15) + [0x4F], "T=1"),
      ]

      @Test(arguments: answersToReset)
      func `a card of T=0, of T=1 or of both exchanges commands`(answerToReset: [UInt8], name: String) throws {
        let link = try SharedPCSCD.link(answerToReset: answerToReset)
        let card = PresentedCard(link: link, thread: serving(link, ChannelContract.responder()))
        #expect(try PCSCMonitor().waitForCard(in: SharedPCSCD.reader(), timeout: .seconds(30)) == answerToReset)
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        let identity = channel.identity
        #expect(identity == CardIdentity(answerToReset: answerToReset, protocolName: name))
        for exchange in ChannelContract.exchanges {
          #expect(try channel.exchange(exchange.apdu).encoded == exchange.response, "\(exchange)")
        }
        channel.close()
        try card.takeOut()
      }

      static let invalidAnswers: [(answerToReset: [UInt8], code: LinkError.Code?)] = [
        // No convention has the first byte 00 (ISO/IEC 7816-3:2006, 8.1).
        ([0x00, 0x00], .protocolViolation),
        // T0 announces bytes that are missing; pcscd offers the card nevertheless.
        ([0x3B, 0xFF], nil),
      ]

      @Test(arguments: invalidAnswers)
      func `an invalid answer to reset is refused or accepted within 2 s, and the next card works`(
        answerToReset: [UInt8], code: LinkError.Code?
      ) throws {
        let odd = try raw([0x90, 0x00], answerToReset: answerToReset)
        let reader = try SharedPCSCD.reader()
        var error: LinkError?
        let time = ContinuousClock().measure {
          error = linkError { () throws(LinkError) in
            var channel = try PCSCChannel(reader: reader)
            #expect(try channel.exchange(.getData(0x9F36)).status == .ok)
            channel.close()
          }
        }
        #expect(error?.code == code, "\(error?.reason ?? "no error")")
        #expect(time < .seconds(2))
        try takeOut(odd)
        let card = try SharedPCSCD.present(ScriptedResponder())
        var next = try PCSCChannel(reader: reader)
        #expect(try next.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        next.close()
        try card.takeOut()
      }
    }
  }
#endif

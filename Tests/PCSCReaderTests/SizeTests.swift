#if PCSC
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import TestSupport
  import Testing

  extension RealReaderTests {
    /// The lengths that pcscd and vpcd carry, and those that must not reach them.
    @Suite struct SizeTests {
      /// Sends bytes without a check.
      private func transmit(_ command: [UInt8], over channel: inout PCSCChannel) -> Result<[UInt8], LinkError> {
        var room = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
        do throws(LinkError) {
          let count = try room.withMutableOctets { (room) throws(LinkError) in
            try channel.transmit(command.span, into: &room)
          }
          return .success(Array(room.prefix(count)))
        } catch {
          return .failure(error)
        }
      }

      @Test(arguments: [4, 5, 6, 260, 261, 262, 65_534, 65_535])
      func `a command of any length within the limits arrives without change`(count: Int) throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(otherwise: [0x90, 0x00], journal: journal))
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        let command = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(try transmit(command, over: &channel).get() == [0x90, 0x00])
        #expect(journal.commands == [command])
        channel.close()
        try card.takeOut()
      }

      /// vpcd takes one byte for a control code, and ejects the card on more than 65535.
      @Test(arguments: [0, 1, 3, 65_536, 65_540, 65_545])
      func `a command beyond the limits is refused before it reaches the reader`(count: Int) throws {
        let journal = ResponderJournal()
        let card = try SharedPCSCD.present(ScriptedResponder(journal: journal))
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        let refusal = transmit([UInt8](repeating: 0, count: count), over: &channel)
        #expect(refusal == .failure(LinkError(.transmissionFailed, "")))
        if case .failure(let error) = refusal {
          #expect(
            error.reason == "a command of \(count == 1 ? "1 byte" : "\(count) bytes"): the limits are 4 and 65535")
        }
        // The card is still there, and serves the next channel.
        var next = try PCSCChannel(reader: SharedPCSCD.reader())
        #expect(try next.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        next.close()
        #expect(journal.commands == [CommandAPDU.getData(0x9F36).encoded])
        #expect(!journal.fieldEvents.contains(.lost))
        try card.takeOut()
      }

      @Test(arguments: [2, 3, 257, 258, 259, 32_768, 65_534, 65_535])
      func `a response of any length arrives without change`(count: Int) throws {
        let answer = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 3) }
        let card = try SharedPCSCD.present(ScriptedResponder(otherwise: answer))
        var channel = try PCSCChannel(reader: SharedPCSCD.reader())
        #expect(try transmit(CommandAPDU.getData(0x9F36).encoded, over: &channel).get() == answer)
        channel.close()
        try card.takeOut()
      }
    }
  }
#endif

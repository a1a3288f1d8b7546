#if PCSC
  import Glibc
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  extension RealReaderTests {
    /// The chip as the card, and the chip as the terminal in front of it: two readers in one field, one pcscd.
    struct ACR122CardTests {
      static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

      @Test(arguments: FieldTiming.Pacing.allCases)
      func `every APDU that the escape commands can carry is answered`(pacing: FieldTiming.Pacing) throws {
        let card = try ServedChipCard(timing: FieldTiming(pacing: pacing), historicalBytes: [0x41, 0x42])
        let device = try ChipDesk.open()
        var channel = try device.channel()
        let (identity, identifier) = (channel.identity, channel.cardIdentifier)
        #expect(identity.answerToReset.hex.hasPrefix("3B8280014142"))
        #expect(identity.protocolName == "T=CL")
        #expect(identifier.count == 4 && identifier[0] == 0x08)
        let fitting = ChannelContract.exchanges.filter {
          $0.command.count <= ACR122Device.maximumCommandCount
            && $0.response.count <= ACR122Device.maximumResponseCount
        }
        #expect(fitting.count == 4)
        for exchange in fitting { #expect(try channel.send(exchange.command) == exchange.response) }
        #expect(card.journal.commands == fitting.map(\.command))
        channel.close()
        #expect(card.journal.wait { $0.last == .field(.deselected) }, "\(card.journal.fieldEvents)")
        #expect(card.journal.fieldEvents == [.powered, .deselected])
        card.link.stop()
        try card.thread.join()
      }
    }
  }

  /// A card that is served at the second chip.
  final class ServedChipCard: Sendable {
    let readers: SimulatedReaders
    let journal = ResponderJournal()
    let link: ACR122Link
    let thread: DedicatedThread<Void, LinkError>

    init(
      _ card: ScriptedResponder? = nil, mood: ScriptedResponder.Mood = .prompt, driverPatience: Duration? = nil,
      timing: FieldTiming = FieldTiming(), historicalBytes: [UInt8] = []
    ) throws {
      readers = try ChipDesk.slots.plug(.pair, driverPatience: driverPatience, timing: timing)
      link = ACR122Link(try ChipDesk.open(1), historicalBytes: historicalBytes)
      thread = serving(link, card ?? ChannelContract.responder(mood: mood, journal: journal))
    }

    deinit {
      link.stop()
      _ = try? thread.join()
      _ = try? readers.unplug()
    }
  }
#endif

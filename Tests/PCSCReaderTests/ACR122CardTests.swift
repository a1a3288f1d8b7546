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
    /// The chip as the card and as the terminal: two readers in one field, and one pcscd.
    struct ACR122CardTests {
      static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

      @Test(arguments: ChipContract<ChipReaders>.card)
      func contract(rule: ChipContract<ChipReaders>) throws { try rule.check() }

      @Test func `a command of 252 bytes and a response of 253 bytes are carried`() throws {
        let command = [0x80, 0xE2, 0, 0, 0xF7] + [UInt8](repeating: 7, count: 247)
        let response = [UInt8](repeating: 9, count: 251) + [0x90, 0x00]
        #expect(command.count == ACR122Device.maximumCommandCount)
        #expect(response.count == ACR122Device.maximumResponseCount)
        let card = try ServedChipCard(ScriptedResponder([command: response]))
        let device = try SharedChipReaders.open()
        var channel = try device.channel()
        #expect(try channel.send(command) == response)
        card.link.stop()
      }

      @Test(arguments: [254, 258])
      func `a response that the reader cannot carry ends the link with its length`(count: Int) throws {
        let response = [UInt8](repeating: 9, count: count)
        let card = try ServedChipCard(ScriptedResponder([Self.selection: response]))
        let device = try SharedChipReaders.open()
        var channel = try device.channel(responseTimeout: .seconds(3))
        #expect(linkError { () throws(LinkError) in _ = try channel.send(Self.selection) } != nil)
        let error = linkError { () throws(LinkError) in try card.thread.join() }
        #expect(error?.code == .transmissionFailed)
        #expect(error?.reason.contains("\(count) bytes: the limit") == true, "\(error?.reason ?? "none")")
      }

      @Test func `a command that exceeds the chip's buffer ends the tap, and the next terminal is served`() throws {
        let card = try ServedChipCard()
        let reader = try PCSCContext().connectDirectly(to: SharedChipReaders.slots.names[0])
        let chain = [UInt8](repeating: 0, count: 250)
        // InDataExchange with the bit for more data.
        for command in [[0x32, 0x01, 0x01], [0x4A, 0x01, 0x00], [0x40, 0x41] + chain, [0x40, 0x01] + chain] {
          _ = try reader.control(
            .escape, [0xFF, 0x00, 0x00, 0x00, UInt8(command.count + 1), 0xD4] + command)
        }
        #expect(card.journal.wait { $0 == [.field(.powered), .field(.lost)] }, "\(card.journal.entries)")
        let device = try SharedChipReaders.open()
        var channel = try device.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      }

      enum Patience: CaseIterable, Sendable { case driver, reader }

      /// libccid waits for 3 s, an ACR122U for 5 s. Here the driver waits for 600 ms, and the reader for 5 s / 6.
      @Test(arguments: Patience.allCases)
      func `the card is presented again after the reader's or the driver's limit has passed`(patience: Patience) throws
      {
        let card = try ServedChipCard(
          driverTimeout: patience == .driver ? .milliseconds(600) : nil,
          timing: FieldTiming(waitingTimeDivisor: patience == .reader ? 6 : 1))
        usleep(1_500_000)
        let device = try SharedChipReaders.open()
        var channel = try device.channel()
        for _ in 0..<2 {
          #expect(try channel.send(Self.selection) == [0x6D, 0x00])
          usleep(1_500_000)
        }
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        #expect(card.journal.fieldEvents == [.powered])
      }
    }
  }
#endif

#if PCSC
  import Links
  import Octets
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  extension RealReaderTests {
    /// A reader without its card: what its driver is asked to do.
    struct DirectReaderTests {
      private static let firmwareVersion: [UInt8] = [0xFF, 0x00, 0x00, 0x00, 0x02, 0xD4, 0x02]

      @Test(arguments: [PCSCControlCode.vendorExchange, .escape])
      func `an escape command goes to the chip and its answer comes back`(code: PCSCControlCode) throws {
        let slots = try ChipDesk.slots
        let readers = try slots.plug(.pair)
        for name in slots.names {
          let reader = try PCSCContext().connectDirectly(to: name)
          let answer = try reader.control(code, Self.firmwareVersion)
          #expect(answer.hex == "D503320106079000")
        }
        try readers.unplug()
      }
    }
  }
#endif

#if PCSC
  import Links
  import Octets
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  extension RealReaderTests.ChipTests {
    /// A reader without its card: what its driver is asked to do, and by whom.
    struct DirectReaderTests {
      private static let firmwareVersion: [UInt8] = [0xFF, 0x00, 0x00, 0x00, 0x02, 0xD4, 0x02]

      @Test(arguments: [PCSCControlCode.vendorExchange, .escape])
      func `an escape command goes to the chip of its reader and its answer comes back`(code: PCSCControlCode) throws {
        let slots = try ChipDesk.slots
        let readers = try slots.plug(.pair)
        for name in slots.names {
          let reader = try PCSCContext().connectDirectly(to: name)
          let answer = try reader.control(code, Self.firmwareVersion)
          #expect(answer.hex == "D503320106079000")
        }
        try readers.unplug()
      }

      enum Fault: CaseIterable, Sendable {
        case unknownCode, noRoom, nothing, unplugged

        var error: PCSCError {
          switch self {
          case .unknownCode: .unsupportedFeature
          case .noRoom: .insufficientBuffer
          case .nothing, .unplugged: .notTransacted
          }
        }
      }

      @Test(arguments: Fault.allCases)
      func `what the driver cannot do is an error of its own, and the reader goes on`(fault: Fault) throws {
        let slots = try ChipDesk.slots
        let readers = fault == .unplugged ? nil : try slots.plug(.pair)
        let reader = try PCSCContext().connectDirectly(to: slots.names[0])
        do throws(PCSCError) {
          switch fault {
          case .unknownCode: _ = try reader.control(PCSCControlCode(function: 3400), Self.firmwareVersion)
          case .noRoom: _ = try reader.control(.escape, Self.firmwareVersion, room: 7)
          case .nothing: _ = try reader.control(.escape, [])
          case .unplugged: _ = try reader.control(.escape, Self.firmwareVersion)
          }
          Issue.record("no error")
        } catch {
          #expect(error == fault.error)
        }
        let again = try readers ?? slots.plug(.pair)
        let answer = try reader.control(.escape, Self.firmwareVersion, room: 8)
        #expect(answer.count == 8)
        try again.unplug()
      }

      @Test func `a driver without escape commands: the error says how to allow them`() throws {
        _ = try ChipDesk.slots
        let error = linkError { () throws(LinkError) in
          _ = try ACR122Device(reader: "Contactless Test Reader 00 00")
        }
        #expect(error?.code == .readerUnavailable)
        let reason = error?.reason ?? "none"
        for part in ["SCARD_E_UNSUPPORTED_FEATURE", "0x0001", "/etc/libccid_Info.plist", "restart pcscd"] {
          #expect(reason.contains(part), "\(reason)")
        }
      }

      @Test func `a reader that nobody knows, and one that is unplugged: an error, and no thread left behind`() throws {
        _ = try ChipDesk.slots
        for name in ["nobody's", try ChipDesk.slots.names[0]] {
          let error = linkError { () throws(LinkError) in _ = try ACR122Device(reader: name) }
          #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
        }
      }

      @Test func `a reader does not look for cards while it is open, and does again afterwards`() throws {
        let readers = try ChipDesk.slots.plug(.pair)
        #expect(readers.reader.operatingParameters == [0xFF, 0xFF])
        let device = try ChipDesk.open()
        #expect(readers.reader.operatingParameters == [0x7F, 0xFF])
        device.close()
        #expect(readers.reader.operatingParameters == [0xFF, 0xFF])
        let error = linkError { () throws(LinkError) in _ = try device.channel() }
        #expect(error?.code == .readerUnavailable)
        #expect(error?.reason.contains("open it again") == true)
        try readers.unplug()
      }

      @Test func `a reader that is open is busy for others, until it is let go of`() throws {
        let readers = try ChipDesk.slots.plug(.pair)
        do {
          let device = try ChipDesk.open()
          let name = device.reader
          let error = linkError { () throws(LinkError) in
            _ = try ACR122Device(reader: name, patience: .milliseconds(300))
          }
          #expect(error?.code == .busy, "\(error?.reason ?? "none")")
        }
        // The one who came too late has let go as well.
        let device = try ChipDesk.open()
        device.close()
        try readers.unplug()
      }
    }
  }
#endif

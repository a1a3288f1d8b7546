#if PCSC
  import Foundation
  import Glibc
  import Links
  import Octets
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  extension RealReaderTests.ChipTests {
    /// A reader that is connected without a card, and the escape commands of its driver.
    struct DirectReaderTests {
      private static let firmwareVersion: [UInt8] = [0xFF, 0x00, 0x00, 0x00, 0x02, 0xD4, 0x02]

      @Test(arguments: [PCSCControlCode.vendorExchange, .escape])
      func `an escape command reaches the chip of its reader, and the answer returns`(code: PCSCControlCode) throws {
        let slots = try SharedChipReaders.slots
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
      func `a call that the driver refuses is its own error, and the next call succeeds`(fault: Fault) throws {
        let slots = try SharedChipReaders.slots
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

      @Test func `a driver without escape commands is an error with the setting that enables them`() throws {
        _ = try SharedChipReaders.slots
        let error = linkError { () throws(LinkError) in
          _ = try ACR122Device(reader: "Contactless Test Reader 00 00")
        }
        #expect(error?.code == .readerUnavailable)
        let reason = error?.reason ?? "none"
        for part in ["SCARD_E_UNSUPPORTED_FEATURE", "0x0001", "/etc/libccid_Info.plist", "restart pcscd"] {
          #expect(reason.contains(part), "\(reason)")
        }
      }

      @Test func `an unknown reader and an unplugged one are errors, and their threads end`() throws {
        // The thread of an earlier test ends some time after its device is closed.
        #expect(Self.threadsEnd())
        let plugged = try SharedChipReaders.slots.plug(.pair)
        let device = try SharedChipReaders.open()
        #expect(Self.threadCount == 1)
        device.close()
        try plugged.unplug()
        for name in ["unknown", try SharedChipReaders.slots.names[0]] {
          let error = linkError { () throws(LinkError) in _ = try ACR122Device(reader: name) }
          #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
        }
        #expect(Self.threadsEnd())
      }

      private static func threadsEnd() -> Bool {
        for _ in 0..<1_000 where threadCount > 0 { usleep(10_000) }
        return threadCount == 0
      }

      /// The number of worker threads of ACR122 devices in this process.
      private static var threadCount: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
          (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "acr122\n"
        }
      }

      @Test func `a reader does not search for cards by itself while it is open`() throws {
        let readers = try SharedChipReaders.slots.plug(.pair)
        #expect(readers.reader.operatingParameters == [0xFF, 0xFF])
        let device = try SharedChipReaders.open()
        #expect(readers.reader.operatingParameters == [0x7F, 0xFF])
        device.close()
        #expect(readers.reader.operatingParameters == [0xFF, 0xFF])
        let error = linkError { () throws(LinkError) in _ = try device.channel() }
        #expect(error?.code == .readerUnavailable)
        #expect(error?.reason.contains("open it again") == true)
        try readers.unplug()
      }

      @Test func `an open reader is busy for others until it is released`() throws {
        let readers = try SharedChipReaders.slots.plug(.pair)
        do {
          let device = try SharedChipReaders.open()
          let name = device.reader
          let error = linkError { () throws(LinkError) in
            _ = try ACR122Device(reader: name, patience: .milliseconds(300))
          }
          #expect(error?.code == .busy, "\(error?.reason ?? "none")")
        }
        // The refused attempt has released the reader as well.
        let device = try SharedChipReaders.open()
        device.close()
        try readers.unplug()
      }
    }
  }
#endif

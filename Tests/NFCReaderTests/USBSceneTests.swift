import Foundation
import Links
import NFCReader
import ReaderSimulator
import TestSupport
import Testing
import USBSimulator

extension LibNFCTests {
  /// What goes wrong between libnfc and a USB reader: what a user reads then, and what works afterwards.
  struct USBSceneTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

    private static func error(_ bench: ChipBench, _ connstring: String? = nil) throws -> LinkError? {
      let program = try bench.atBus(NFCDevice.defaultProgram)
      return linkError { () throws(LinkError) in
        var channel = try NFCDevice(connstring ?? bench.connstrings[0], program: program).channel(
          timeout: .seconds(1), responseTimeout: .seconds(1))
        _ = try channel.send(selection)
      }
    }

    @Test(arguments: ["scm-scl3711", "acr122u-picc"])
    func `a reader that the kernel's driver has taken is named with the driver, and works without it`(file: String)
      throws
    {
      let bench = try ChipBench(.card(ProximityIdentity()), [file], drivers: [0: "pn533_usb"])
      let refused = try Self.error(bench)
      #expect(refused?.code == .readerUnavailable)
      #expect(refused?.reason.contains("the kernel's driver pn533_usb has taken") == true, "\(refused?.reason ?? "")")
      bench.bus.unplug(bench.readers[0])
      try bench.bus.plug(bench.readers[0])
      #expect(try Self.error(bench) == nil)
    }

    @Test(arguments: ["scm-scl3711", "acr122u-picc"])
    func `a reader that another program has claimed is busy, and works when that has ended`(file: String) throws {
      let bench = try ChipBench(.card(ProximityIdentity()), [file])
      let program = try bench.atBus(NFCDevice.defaultProgram)
      do {
        let device = try NFCDevice(bench.connstrings[0], program: program)
        let refused = try Self.error(bench)
        #expect(refused?.code == .busy, "\(refused?.reason ?? "none")")
        #expect(refused?.reason.contains("another program has claimed") == true, "\(refused?.reason ?? "")")
        #expect(!device.name.isEmpty)
      }
      #expect(try Self.error(bench) == nil)
    }

    @Test func `a number that no reader has any more is named`() throws {
      let bench = try ChipBench(.card(ProximityIdentity()), ["scm-scl3711"])
      let old = bench.connstrings[0]
      bench.bus.unplug(bench.readers[0])
      try bench.bus.plug(bench.readers[0])
      let refused = try Self.error(bench, old)
      #expect(refused?.code == .readerUnavailable)
      #expect(refused?.reason.contains("there is no /dev/bus/usb/001/002") == true, "\(refused?.reason ?? "")")
      #expect(try Self.error(bench) == nil)
    }

    /// A reader, a fault at a response of its chip, and what is said.
    static let faults: [(file: String, fault: USBFault, says: String)] = [
      ("scm-scl3711", .unplug, "was unplugged"),
      ("acr122u-picc", .unplug, "unplugged or does not answer"),
      ("scm-scl3711", .stall, "unplugged or does not answer"),
      ("scm-scl3711", .hang, "time limit"),
    ]

    @Test(arguments: faults)
    func `a fault in an exchange becomes words, and the reader works when it is plugged in again`(
      _ row: (file: String, fault: USBFault, says: String)
    ) throws {
      let bench = try ChipBench(.card(ProximityIdentity()), [row.file])
      let program = try bench.atBus(NFCDevice.defaultProgram)
      let error = linkError { () throws(LinkError) in
        var channel = try NFCDevice(bench.connstrings[0], program: program).channel(
          timeout: .seconds(5), responseTimeout: .seconds(1))
        bench.readers[0].setFaults(.next(row.fault))
        _ = try channel.send(Self.selection)
      }
      #expect(error?.reason.contains(row.says) == true, "\(error?.reason ?? "none")")
      #expect(error?.reason.contains("libnfc error") == false)
      bench.bus.unplug(bench.readers[0])
      try bench.bus.plug(bench.readers[0])
      #expect(try Self.error(bench) == nil)
    }
  }
}

import Fixtures
import Foundation
import Links
import TestSupport
import Testing
import USBSimulator

extension USBReaderTests {
  /// Programs that share no code with the simulator, at a pcscd that shares none either.
  @Suite struct ForeignProgramTests {
    @Test func `opensc-tool, scriptor, pcsc_scan and pyscard reach a card on a simulated USB reader`() throws {
      let bench = try USBBench()
      let device = SimulatedUSBDevice.known()
      let name = try #require(bench.plug(device).first)
      let journal = ResponderJournal()
      let (link, card) = try bench.insert(in: device, journal: journal)
      let sent = try bench.run("opensc-tool", "-r", "0", "-s", "00B2010C01")
      #expect(sent.output.contains("SW1=0x90, SW2=0x00"), "\(sent.output)\(sent.errors)")
      #expect(try bench.run("opensc-tool", "--list-readers").output.contains(name))
      let scratch = try Scratch()
      let script = try scratch.write("script", "00B2010C01\n")
      let spoken = try bench.send(script, to: name)
      #expect(spoken.output.contains("42 90 00"), "\(spoken.output)\(spoken.errors)")
      let scanned = try bench.run("pcsc_scan", "-c", "-t", "3")
      #expect(scanned.output.contains("3B 80 80 01 01"), "\(scanned.output)\(scanned.errors)")
      let program = """
        from smartcard.System import readers
        c = readers()[0].createConnection(); c.connect(); print(c.transmit([0, 0xB2, 1, 12, 1]))
        """
      let python = try bench.run("/usr/bin/python3", "-c", program)
      #expect(python.output.contains("([66], 144, 0)"), "\(python.output)\(python.errors)")
      link.stop()
      try card.join()
      #expect(!journal.entries.isEmpty)
    }

    @Test func `lsusb reads the descriptors of a simulated reader`() throws {
      let bus = try SimulatedUSBBus()
      try bus.plug(.known())
      let run = try ProgramRun("lsusb", ["-v", "-d", "072f:223b"], environment: bus.environment)
      _ = try run.finish()
      for text in ["dwMaxCCIDMsgLen       522", "ACR1252 Dual Reader", "bNumEndpoints           3"] {
        #expect(run.output.contains(text), "\(text): \(run.output)\(run.errors)")
      }
      bus.close()
    }

    @Test func `a reader is unplugged and plugged in again while its card stays`() throws {
      let bench = try USBBench()
      let device = SimulatedUSBDevice.known()
      let link = device.link()
      let card = serving(link, ChannelContract.responder())
      for visit in 1...3 {
        try bench.plug(device)
        try bench.wait("pcscd powers the card") { bench.count(of: USBBench.power) == visit }
        let sent = try bench.run("opensc-tool", "-r", "0", "-s", "00B2010C01")
        #expect(sent.output.contains("SW1=0x90, SW2=0x00"), "\(sent.output)\(sent.errors)")
        try bench.unplug(device)
        #expect(try bench.run("opensc-tool", "--list-readers").output.contains("No smart card readers found"))
      }
      link.stop()
      try card.join()
    }

    /// Levels of exchange, and the longest of the contract's commands that they carry.
    static let levels: [(name: String, features: UInt32, message: UInt32, commands: [String])] = [
      ("blocks", 0x0001_0230, 271, ["00B2010C01", "00B2020C00"]),
      ("short APDUs", 0x0002_0040, 271, ["00B2010C01", "00B2020C00"]),
      ("extended APDUs", 0x0004_0040, 522, ["00B2010C01", "00B2020C00", "00B2030C000FA0"]),
      ("extended APDUs in parts of 54 bytes", 0x0004_0040, 64, ["00B2010C01", "00B2020C00"]),
    ]

    @Test(arguments: levels)
    func `each level of exchange carries responses up to its limit`(
      _ level: (name: String, features: UInt32, message: UInt32, commands: [String])
    ) throws {
      let bench = try USBBench()
      let description = CCIDDescription(features: level.features, maximumMessageCount: level.message)
      let device = SimulatedUSBDevice.known([description])
      let name = try #require(bench.plug(device).first)
      let (link, card) = try bench.insert(in: device)
      let scratch = try Scratch()
      let script = try scratch.write("script", level.commands.map { "\($0)\n" }.joined())
      let sent = try bench.send(script, to: name)
      #expect(
        sent.output.components(separatedBy: "90 00 : Normal processing").count == level.commands.count + 1,
        "\(level.name): \(sent.output)\(sent.errors)")
      link.stop()
      try card.join()
    }

    @Test func `libccid refuses an ACR122U with firmware 2.02, and a reader without a class descriptor`() throws {
      let bench = try USBBench()
      let old = SimulatedUSBDevice.reader(
        USBDescription(vendor: 0x072F, product: 0x2200, release: 0x0202, interfaces: []))
      try bench.bus.plug(old)
      try bench.wait("libccid refuses the firmware") { bench.log.contains("Firmware (2.02) is bogus") }
      #expect(bench.count(of: USBBench.readiness) == 0)
    }
  }
}

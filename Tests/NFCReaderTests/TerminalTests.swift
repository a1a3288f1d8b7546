import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// libnfc as the terminal: one chip with a card in its field.
  struct TerminalTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    let children = ChildProcesses()

    @Test(arguments: ChipContract<SimulatedChips>.terminal)
    func `libnfc as a terminal fulfils the contract of a chip`(rule: ChipContract<SimulatedChips>) throws {
      try rule.check()
      #expect(children.haveEnded())
    }

    @Test func `a device has the name that libnfc reports`() throws {
      let chips = try SimulatedChips(.chip)
      #expect(try chips.open().name.hasPrefix("pn532_uart"))
    }

    @Test func `a command of 261 bytes and a response of 258 bytes are carried`() throws {
      let command = [0x80, 0xE2, 0, 0, 0xFF] + [UInt8](repeating: 7, count: 255) + [0]
      let response = [UInt8](repeating: 9, count: 256) + [0x90, 0x00]
      let chips = try SimulatedChips(.card(ProximityIdentity()), card: ScriptedResponder([command: response]))
      var channel = try chips.open().channel()
      #expect(command.count == NFCDevice.maximumCommandCount && response.count == NFCDevice.maximumResponseCount)
      #expect(try channel.send(command) == response)
    }

    @Test func `a response of 4000 bytes is an error, and the next command succeeds`() throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      let device = try chips.open()
      var channel = try device.channel()
      let long: [UInt8] = [0x00, 0xB2, 0x03, 0x0C, 0x00, 0x0F, 0xA0]
      #expect(linkError { () throws(LinkError) in _ = try channel.send(long) }?.code == .transmissionFailed)
      var next = try device.channel()
      #expect(try next.send(Self.selection) == [0x6D, 0x00])
    }

    @Test func `a lost frame is repeated by the chip`() throws {
      let chips = try SimulatedChips(
        .card(ProximityIdentity()), timing: FieldTiming(waitingTimeDivisor: 4), faults: .at([1: .drop, 4: .corrupt]))
      var channel = try chips.open().channel()
      for _ in 0..<3 { #expect(try channel.send(Self.selection) == [0x6D, 0x00]) }
      #expect(chips.simulator.frameCounts.faulty == 2)
    }
  }
}

import Glibc
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// What a terminal loses besides its card: the device, and the process that runs libnfc.
  struct LossTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    let possessions = Possessions()

    @Test func `a device that vanishes while a card is looked for is told`() throws {
      let chips = try SimulatedChips(.chip)
      let device = try chips.open()
      let terminal = DedicatedThread(named: "terminal") { () -> LinkError? in
        linkError { () throws(LinkError) in _ = try device.channel(timeout: .seconds(20)) }
      }
      usleep(100_000)
      chips.simulator.stop()
      let error = terminal.join()
      #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
    }

    @Test func `libnfc's process is killed in the middle of a command: a clear error, and the reader opens again`()
      throws
    {
      let error = try ChipContract<SimulatedChips>.end { _ in
        for process in Possessions.processes() { kill(process, SIGKILL) }
      }
      #expect(error?.code == .serviceUnavailable)
      #expect(error?.reason.contains("open the reader again") == true)
      #expect(possessions.areBack())
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      do {
        let device = try chips.open()
        for process in Possessions.processes() { kill(process, SIGKILL) }
        #expect(linkError { () throws(LinkError) in _ = try device.channel() }?.code == .serviceUnavailable)
      }
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
    }

    @Test func `a port that another device of ours holds is busy, and free when that is closed`() throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      do {
        let device = try chips.open()
        #expect(linkError { () throws(LinkError) in _ = try chips.open() }?.code == .busy)
        var channel = try device.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      }
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
    }

    @Test func `libnfc ends its own process on a status it does not know: a clear error, and the reader opens again`()
      throws
    {
      do {
        let chips = try SimulatedChips(.card(ProximityIdentity()))
        do {
          let port = try MeddledPort(chips.simulator.paths[0])
          defer { port.end() }
          let device = try NFCDevice("pn532_uart:\(port.path)")
          var channel = try device.channel()
          #expect(try channel.send(Self.selection) == [0x6D, 0x00])
          port.setMeddling(true)
          let error = linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }
          #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
          port.setMeddling(false)
          var next = try NFCDevice("pn532_uart:\(port.path)").channel()
          #expect(try next.send(Self.selection) == [0x6D, 0x00])
        }
      }
      #expect(possessions.areBack())
    }
  }
}

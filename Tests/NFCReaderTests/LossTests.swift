import Glibc
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// A terminal loses its device, or the process that runs libnfc.
  struct LossTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    let children = ChildProcesses()

    @Test func `a device that is unplugged during the search for a card is readerUnavailable`() throws {
      let chips = try SimulatedChips(.chip)
      let device = try chips.open()
      let terminal = DedicatedThread(named: "terminal") { () -> LinkError? in
        linkError { () throws(LinkError) in _ = try device.channel(timeout: .seconds(60)) }
      }
      usleep(100_000)
      chips.simulator.stop()
      let error = terminal.join()
      #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
    }

    @Test func `a tap-nfc that is killed during a command is serviceUnavailable, and the reader opens again`()
      throws
    {
      let error = try ChipContract<SimulatedChips>.end { _ in
        for process in ChildProcesses.processes() { kill(process, SIGKILL) }
      }
      #expect(error?.code == .serviceUnavailable)
      #expect(error?.reason.contains("open the reader again") == true)
      #expect(children.haveEnded())
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      do {
        let device = try chips.open()
        for process in ChildProcesses.processes() { kill(process, SIGKILL) }
        #expect(linkError { () throws(LinkError) in _ = try device.channel() }?.code == .serviceUnavailable)
      }
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
    }

    @Test func `a port is busy while another device of this program holds it, and free afterwards`() throws {
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

    @Test func `a status at which libnfc aborts is serviceUnavailable, and the reader opens again`()
      throws
    {
      do {
        let chips = try SimulatedChips(.card(ProximityIdentity()))
        do {
          let isChanged = Flag()
          let port = try InterceptedPort(chips.simulator.paths[0], code: 0x41) { frame in
            isChanged.isRaised ? frame.withUnknownStatus : frame
          }
          defer { port.close() }
          let device = try NFCDevice(port.connstring)
          var channel = try device.channel()
          #expect(try channel.send(Self.selection) == [0x6D, 0x00])
          isChanged.raise()
          let error = linkError { () throws(LinkError) in _ = try channel.send(Self.selection) }
          #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
          isChanged.lower()
          var next = try NFCDevice(port.connstring).channel()
          #expect(try next.send(Self.selection) == [0x6D, 0x00])
        }
      }
      #expect(children.haveEnded())
    }
  }
}

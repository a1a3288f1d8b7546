import Foundation
import ISO7816
import Links
import Octets
import PCSCReader
import Testing
import VirtualCard

extension ExampleTests {
  // In a process of its own: libpcsclite reads the name of its socket once.
  @Test func `the articles of virtual card and PC/SC reader: a card in a pcscd of one's own`() async {
    await #expect(processExitsWith: .success) {
      let entry = try ReaderEntry.virtualReader(named: "Lab reader")
      let service = try PrivateReaderService(readers: [entry])
      setenv("PCSCLITE_CSOCK_NAME", service.socketPath, 1)
      let link = try VPCDLink(host: "localhost", port: UInt16(entry.channel))
      let card = DedicatedThread(named: "card") { () throws(LinkError) in
        var greeter = Greeter()
        try link.serve(&greeter)
      }

      let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> [UInt8] in
        let reader = try PCSCService.reader(matching: "lab reader 00 00")
        _ = try PCSCMonitor().waitForCard(in: reader, timeout: .seconds(60))
        var channel = try PCSCChannel(reader: reader)
        let command: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x00]
        var room = [UInt8](repeating: 0, count: shortResponseCapacity)
        let count = try room.withMutableOctets { (response) throws(LinkError) in
          try channel.transmit(command.span, into: &response)
        }
        return Array(room[..<count])
      }
      let answer = try await terminal.value()
      link.stop()
      try await card.value()
      service.close()
      #expect(answer.hex == "48699000")
    }
  }
}

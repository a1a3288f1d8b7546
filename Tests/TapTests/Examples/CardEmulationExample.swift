import CardEmulation
import ISO7816
import Links
import Octets
import Testing

extension ExampleTests {
  // In a process of its own: the session answers within 5 s, and the tasks of a test run may start later.
  @Test func `the card emulation article: a program answers the commands of a terminal`() async {
    await #expect(processExitsWith: .success) {
      let loopback = Loopback()
      let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> ResponseAPDU in
        var channel = try loopback.connect(timeout: .seconds(60))
        return try channel.exchange(.select(name: [0xF0, 0x01, 0x02, 0x03, 0x04, 0x05]))
      }

      let declared = try DeclaredAIDs([[0xF0, 0x01, 0x02, 0x03, 0x04, 0x05]])
      let session = CardEmulationSession(declared: declared)
      try session.startEmulation(on: loopback)
      for await event in session.events {
        switch event {
        case .received(let apdu):
          try apdu.respond(with: ResponseAPDU(data: [0x48, 0x69], status: .ok))
        case .readerDeselected: session.invalidate()
        case .sessionStarted, .readerDetected, .sessionInvalidated: break
        }
      }
      await session.finished()

      #expect(try await terminal.value() == ResponseAPDU(data: [0x48, 0x69]))
    }
  }
}

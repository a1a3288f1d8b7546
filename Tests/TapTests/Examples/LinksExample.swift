import ISO7816
import Links
import Octets
import Testing

extension ExampleTests {
  struct Greeter: CommandResponder {
    mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}

    mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
      response.copy([0x48, 0x69, 0x90, 0x00].span, to: 0)
      return 4
    }
  }

  @Test func `the links' article: two sides on threads of their own`() async throws {
    let loopback = Loopback()
    let card = DedicatedThread(named: "card") { () throws(LinkError) in
      var greeter = Greeter()
      try loopback.serve(&greeter)
    }
    let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> [UInt8] in
      var channel = try loopback.connect(timeout: .seconds(60))
      let command: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x00]
      var room = [UInt8](repeating: 0, count: shortResponseCapacity)
      let count = try room.withMutableOctets { (response) throws(LinkError) in
        try channel.transmit(command.span, into: &response)
      }
      return Array(room[..<count])
    }
    print(try await terminal.value().hex)  // 48699000
    loopback.stop()
    try await card.value()
  }
}

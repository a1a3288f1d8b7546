import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import Testing

// In processes of their own: other tests count the children of this one.
extension ExampleTests {
  @Test func `the simulator's article and the NFC reader's: a card on a simulated chip, read through libnfc`() async {
    await #expect(processExitsWith: .success) {
      let simulator = try ReaderSimulator(.card(ProximityIdentity()), timing: FieldTiming(pacing: .none))
      let card = DedicatedThread(named: "card") { () throws(LinkError) in
        var greeter = Greeter()
        try simulator.serve(&greeter)
      }
      simulator.setFaults(.random(seed: 7, [(.drop, perMille: 20), (.corrupt, perMille: 20)], sparesActivation: true))

      let connstring = simulator.connstrings[0]
      let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> [UInt8] in
        let device = try NFCDevice(connstring)
        var channel = try NFCChannel(device, timeout: .seconds(60))
        let command: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x00]
        var room = [UInt8](repeating: 0, count: shortResponseCapacity)
        let count = try room.withMutableOctets { (response) throws(LinkError) in
          try channel.transmit(command.span, into: &response)
        }
        return Array(room[..<count])
      }
      print(try await terminal.value().hex)  // 48699000

      simulator.stop()
      try await card.value()
    }
  }

  @Test func `the NFC reader's article: two chips in one field, libnfc at both`() async {
    await #expect(processExitsWith: .success) {
      let simulator = try ReaderSimulator(.pair, timing: FieldTiming(pacing: .none))
      let chips = DedicatedThread(named: "chips") { () throws(LinkError) in try simulator.run() }
      let (reader, target) = (simulator.connstrings[0], simulator.connstrings[1])

      let link = NFCLink(try NFCDevice(target))
      let card = DedicatedThread(named: "card") { () throws(LinkError) in
        var greeter = Greeter()
        try link.serve(&greeter)
      }

      let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> CardIdentity in
        try NFCChannel(NFCDevice(reader), timeout: .seconds(60)).identity
      }
      #expect(try await terminal.value().protocolName == "T=CL")
      link.stop()
      try await card.value()
      simulator.stop()
      try await chips.value()
    }
  }
}

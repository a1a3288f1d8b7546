import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// Requests that `NFCDevice` does not send. Without a check in `tap-nfc`, libnfc would end its process on some of
  /// them, or use its own time limits.
  struct RequestTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    static let identifier: [UInt8] = [0x08, 0x01, 0x02, 0x03]
    let children = ChildProcesses()

    @Test(arguments: [0, 259, 262, 263, 264, 4000])
    func `a response that libnfc cannot send is refused with its length, and a shorter one is sent afterwards`(
      count: Int
    ) throws {
      do {
        let chips = try SimulatedChips(.pair)
        let card = try DirectProgram(chips.simulator.connstrings[1])
        let device = try chips.open()
        let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> [UInt8] in
          var channel = try device.channel()
          return try channel.send(Self.selection)
        }
        #expect(try card.ask(.await(identifier: Self.identifier, historicalBytes: [])) == .done)
        #expect(try card.ask(.receive) == .octets(Self.selection))
        let refusal = try card.failure(of: .respond([UInt8](repeating: 9, count: count)))
        #expect(refusal?.code == .tooLong)
        #expect(refusal?.text == "a response of \(count) bytes: the limit is \(NFCDevice.maximumResponseCount)")
        let longest = [UInt8](repeating: 9, count: NFCDevice.maximumResponseCount)
        #expect(try card.ask(.respond(longest)) == .done)
        #expect(try terminal.join() == longest)
      }
      #expect(children.haveEnded())
    }

    /// A program that has selected a card.
    private func terminal(_ chips: SimulatedChips) throws -> DirectProgram {
      let terminal = try DirectProgram(chips.simulator.connstrings[0])
      guard case .card = try terminal.ask(.select) else {
        throw DirectProgram.Failure(request: .select, arrival: nil)
      }
      return terminal
    }

    @Test(arguments: [0, 262, 263, 4000])
    func `a command that libnfc cannot send is refused with its length, and a shorter one is sent afterwards`(
      count: Int
    ) throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      let terminal = try terminal(chips)
      let long = [UInt8](repeating: 0, count: count)
      let refusal = try terminal.failure(of: .transceive(milliseconds: 1000, command: long))
      #expect(refusal?.code == .tooLong)
      #expect(refusal?.text == "a command of \(count) bytes: the limit is \(NFCDevice.maximumCommandCount)")
      #expect(try terminal.ask(.transceive(milliseconds: 10_000, command: Self.selection)) == .octets([0x6D, 0x00]))
    }

    /// For libnfc 0 is no limit, -1 is 350 ms, and for lower values it reads an uninitialised time.
    @Test(arguments: [0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF] as [UInt32])
    func `a time limit of 2^31 ms and more is a long one`(milliseconds: UInt32) throws {
      let chips = try SimulatedChips(
        .card(ProximityIdentity()), card: ChannelContract.responder(pace: .slow(.milliseconds(700))))
      let terminal = try terminal(chips)
      let reply = try terminal.ask(.transceive(milliseconds: milliseconds, command: Self.selection))
      #expect(reply == .octets([0x6D, 0x00]))
    }

    @Test func `a time limit of 0 is a short one, and its error is a timeout`() throws {
      let gate = ScriptedResponder.Gate()
      let chips = try SimulatedChips(
        .card(ProximityIdentity()), card: ChannelContract.responder(pace: .held(gate)))
      let terminal = try terminal(chips)
      let failure = try terminal.failure(of: .transceive(milliseconds: 0, command: Self.selection))
      #expect(failure?.code == .timedOut)
      #expect(failure?.text == "the time limit has passed, while sending a command to the card")
      gate.open()
    }

    static let misplaced: [(NFCRequest, says: String)] = [
      (.select, "no device is open"), (.release, "no device is open"),
      (.transceive(milliseconds: 1, command: selection), "no card was selected"),
      (.receive, "no terminal has selected this card"), (.respond([0x90, 0x00]), "no terminal has selected this card"),
      (.await(identifier: [0x08, 1, 2], historicalBytes: []), "a UID of 4 bytes that begins with 08"),
      (.await(identifier: [0x08, 1, 2, 3, 4], historicalBytes: []), "a UID of 4 bytes that begins with 08"),
      (.await(identifier: [0x04, 1, 2, 3], historicalBytes: []), "a UID of 4 bytes that begins with 08"),
      (.await(identifier: identifier, historicalBytes: [UInt8](repeating: 0, count: 16)), "15 historical bytes"),
      (.await(identifier: identifier, historicalBytes: []), "no device is open"),
    ]

    @Test func `a request that the present state does not allow is refused, and the next one is served`() throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      let program = try DirectProgram()
      for (request, says) in Self.misplaced {
        let failure = try program.failure(of: request)
        #expect(failure?.code == .misuse, "\(request)")
        #expect(failure?.text.contains(says) == true, "\(request): \(failure?.text ?? "none")")
      }
      let connstring = chips.simulator.connstrings[0]
      guard case .opened = try program.ask(.open(connstring: connstring)) else {
        Issue.record("not opened")
        return
      }
      #expect(try program.failure(of: .open(connstring: connstring))?.text == "a device is open already")
      guard case .card = try program.ask(.select) else {
        Issue.record("no card")
        return
      }
      #expect(try program.failure(of: .receive)?.code == .misuse)
    }
  }
}

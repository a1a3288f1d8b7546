#if PCSC
  import Glibc
  import ISO7816
  import Links
  import Octets
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  extension RealReaderTests.ChipTests {
    /// How a card at a chip ends: stopped, unplugged, or without its pcscd.
    struct ACR122StopTests {
      static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

      enum Moment: CaseIterable, Sendable { case noTerminal, noCommand, computing }

      /// A card in a state; the terminal, if there is one, waits on a thread of its own.
      private func card(
        at moment: Moment, _ gate: ScriptedResponder.Gate
      ) throws -> (ServedChipCard, DedicatedThread<LinkError?, Never>?) {
        let card = try ServedChipCard(mood: moment == .computing ? .held(gate) : .prompt)
        if moment == .noTerminal {
          // The chip waits for a terminal, and its driver for the chip.
          usleep(200_000)
          return (card, nil)
        }
        let device = try ChipDesk.open()
        let terminal = DedicatedThread(named: "terminal") { () -> LinkError? in
          linkError { () throws(LinkError) in
            var channel = try device.channel(responseTimeout: .seconds(3))
            _ = try channel.send(Self.selection)
            while card.thread.result == nil { usleep(1_000) }
            _ = try channel.send(Self.selection)
          }
        }
        try #require(card.journal.wait { $0.contains(.command(Self.selection)) })
        if moment == .noCommand { usleep(100_000) }
        return (card, terminal)
      }

      private func end(at moment: Moment, by act: (ServedChipCard) -> Void) throws -> LinkError? {
        let gate = ScriptedResponder.Gate()
        let (card, terminal) = try card(at: moment, gate)
        act(card)
        if moment == .computing { gate.open() }
        let error = linkError { () throws(LinkError) in try card.thread.join() }
        if moment != .noTerminal { #expect(card.journal.fieldEvents.last == .lost) }
        _ = terminal?.join()
        // Not when the last thread lets go of the card: the next readers have the same places.
        try card.readers.unplug()
        return error
      }

      private func expectUsable() throws {
        let card = try ServedChipCard()
        let device = try ChipDesk.open()
        var channel = try device.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        channel.close()
        card.link.stop()
        try card.thread.join()
      }

      @Test(arguments: Moment.allCases)
      func `a card that is stopped ends at once, although its driver waits for ever`(moment: Moment) throws {
        #expect(try end(at: moment) { $0.link.stop() } == nil)
        try expectUsable()
      }

      @Test(arguments: Moment.allCases)
      func `a reader that is unplugged ends the card with a clear error, in every state`(moment: Moment) throws {
        let error = try end(at: moment) { _ = try? $0.readers.unplug() }
        #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
        try expectUsable()
      }

      @Test func `a link that was stopped before does not present its card, and its device takes the next one`() throws
      {
        let readers = try ChipDesk.slots.plug(.pair)
        let (device, terminal) = (try ChipDesk.open(1), try ChipDesk.open(0))
        let link = ACR122Link(device)
        link.stop()
        let journal = ResponderJournal()
        try serving(link, ChannelContract.responder(journal: journal)).join()
        #expect(journal.entries.isEmpty)
        for _ in 0..<2 {
          let next = ACR122Link(device)
          let thread = serving(next, ChannelContract.responder(journal: journal))
          var channel = try terminal.channel()
          #expect(try channel.send(Self.selection) == [0x6D, 0x00])
          channel.close()
          next.stop()
          try thread.join()
        }
        try readers.unplug()
      }

      @Test func `a card that was stopped while it waited answers no terminal, and makes room when one comes`() throws {
        let card = try ServedChipCard()
        usleep(200_000)
        card.link.stop()
        try card.thread.join()
        let terminal = try ChipDesk.open()
        let error = linkError { () throws(LinkError) in
          var channel = try terminal.channel()
          _ = try channel.send(Self.selection)
        }
        #expect([.cardRemoved, .timedOut].contains(error?.code), "\(error?.reason ?? "answered")")
        #expect(card.journal.entries.isEmpty)
      }
    }
  }

  /// Each of these needs a process of its own: the client library knows one socket for its whole life.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(5)))
  struct ACR122ServiceLossTests {
    enum Role: CaseIterable, Sendable, Codable { case card, terminal }

    @Test(arguments: Role.allCases)
    func `pcscd killed while the chip waits is one clear error`(role: Role) async {
      await #expect(processExitsWith: .success) { [role] in
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        let slots = try ReaderSlots(in: pcscd)
        let gate = ScriptedResponder.Gate()
        let journal = ResponderJournal()
        let readers = try slots.plug(
          .card(ProximityIdentity()), card: ScriptedResponder(mood: .held(gate), journal: journal))
        let device = try ACR122Device(reader: slots.names[0])
        let worker = DedicatedThread(named: "worker") { () -> LinkError? in
          linkError { () throws(LinkError) in
            guard role == .terminal else { return try serving(ACR122Link(device), ScriptedResponder()).join() }
            var channel = try ACR122Channel(device, timeout: .seconds(20))
            _ = try channel.exchange(.getData(0x9F36))
          }
        }
        if role == .terminal {
          #expect(journal.wait { $0.last == .command(CommandAPDU.getData(0x9F36).encoded) })
        } else {
          usleep(300_000)
        }
        pcscd.kill()
        let error = worker.join()
        #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
        gate.open()
        try readers.unplug()
      }
    }
  }
#endif

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
    /// The end of a card whose driver waits for longer than the test, in addition to the contract.
    struct ACR122StopTests {
      static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

      @Test
      func `a card that was stopped during its wait answers no terminal, and the reader is free after the next one`()
        throws
      {
        let card = try ServedChipCard()
        usleep(200_000)
        card.link.stop()
        try card.thread.join()
        let terminal = try SharedChipReaders.open()
        let error = linkError { () throws(LinkError) in
          var channel = try terminal.channel()
          _ = try channel.send(Self.selection)
        }
        #expect([.cardRemoved, .timedOut].contains(error?.code), "\(error?.reason ?? "answered")")
        #expect(card.journal.entries.isEmpty)
      }
    }
  }

  /// Each test runs in a separate process: the client library uses one socket per process.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
  struct ACR122ServiceLossTests {
    enum Role: CaseIterable, Sendable, Codable { case card, terminal }

    @Test(arguments: Role.allCases)
    func `a pcscd that is killed while the chip waits is one clear error`(role: Role) async {
      await #expect(processExitsWith: .success) { [role] in
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        let slots = try ReaderSlots(in: pcscd)
        let gate = ScriptedResponder.Gate()
        let journal = ResponderJournal()
        let readers = try slots.plug(
          .card(ProximityIdentity()), card: ScriptedResponder(pace: .held(gate), journal: journal))
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

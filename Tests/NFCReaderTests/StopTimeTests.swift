import Glibc
import ISO7816
import Links
import NFCReader
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// `stop()` must end a wait within 100 ms. One of five attempts in time is enough: a loaded machine may be late, a
  /// link that breaks the contract is late every time.
  struct StopTimeTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

    private func isInTime(_ attempt: () throws -> Duration) throws -> Bool {
      for _ in 0..<5 where try attempt() <= .milliseconds(100) { return true }
      return false
    }

    private func stopping(
      _ link: some EmulationLink, _ card: DedicatedThread<Void, LinkError>
    ) throws -> Duration {
      try ContinuousClock().measure {
        link.stop()
        link.stop()
        try card.join()
      }
    }

    @Test func `stop ends a card that waits for a terminal within 100 ms`() throws {
      let chips = try SimulatedChips(.pair)
      let device = try chips.open(1)
      let inTime = try isInTime {
        let link = NFCLink(device)
        let card = serving(link, ChannelContract.responder())
        #expect(try card.join(timeout: .milliseconds(200)) == nil)
        return try stopping(link, card)
      }
      #expect(inTime)
    }

    @Test func `stop ends a card that waits for a command within 100 ms`() throws {
      let chips = try SimulatedChips(.pair, timing: FieldTiming(waitingTimeDivisor: 16))
      let (device, terminal) = (try chips.open(1), try chips.open())
      let inTime = try isInTime {
        let link = NFCLink(device)
        let journal = ResponderJournal()
        let card = serving(link, ChannelContract.responder(journal: journal))
        var channel = try terminal.channel()
        #expect(try channel.send(Self.selection) == [0x6D, 0x00])
        #expect(try card.join(timeout: .milliseconds(50)) == nil)
        let time = try stopping(link, card)
        #expect(journal.entries == [.field(.powered), .command(Self.selection), .field(.lost)])
        return time
      }
      #expect(inTime)
    }

    @Test(arguments: [SimulatedField.Layout.chip, .pair, .card(ProximityIdentity())])
    func `stop ends a simulated reader within 100 ms`(layout: SimulatedField.Layout) throws {
      let inTime = try isInTime {
        let simulator = try ReaderSimulator(layout)
        let run = serving(simulator, ChannelContract.responder())
        #expect(try run.join(timeout: .milliseconds(20)) == nil)
        return try stopping(simulator, run)
      }
      #expect(inTime)
    }
  }
}

import Glibc
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// libnfc as the card, and libnfc as the terminal in front of it: two chips in one field, two processes.
  struct CardTests {
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]
    let possessions = Possessions()

    /// A card that is served at the second chip.
    private final class ServedCard: Sendable {
      let chips: SimulatedChips
      let journal = ResponderJournal()
      let link: NFCLink
      let thread: DedicatedThread<Void, LinkError>

      init(
        mood: ScriptedResponder.Mood = .prompt, timing: FieldTiming = FieldTiming(), historicalBytes: [UInt8] = []
      ) throws(LinkError) {
        chips = try SimulatedChips(.pair, timing: timing)
        link = NFCLink(try chips.open(1), historicalBytes: historicalBytes)
        thread = serving(link, ChannelContract.responder(mood: mood, journal: journal))
      }

      deinit {
        link.stop()
        try? thread.join()
      }
    }

    @Test(arguments: FieldTiming.Pacing.allCases)
    func `every APDU that libnfc can carry is answered`(pacing: FieldTiming.Pacing) throws {
      do {
        let card = try ServedCard(timing: FieldTiming(pacing: pacing), historicalBytes: [0x41, 0x42])
        var channel = try card.chips.open().channel()
        let (identity, identifier) = (channel.identity, channel.cardIdentifier)
        #expect(identity.answerToReset.hex.hasPrefix("3B8280014142"))
        #expect(identifier.count == 4 && identifier[0] == 0x08)
        let fitting = ChannelContract.exchanges.filter {
          $0.command.count <= NFCDevice.maximumCommandCount && $0.response.count <= NFCDevice.maximumResponseCount
        }
        for exchange in fitting { #expect(try channel.send(exchange.command) == exchange.response) }
        #expect(card.journal.commands == fitting.map(\.command))
        channel.close()
        #expect(card.journal.wait { $0.last == .field(.deselected) }, "\(card.journal.fieldEvents)")
        #expect(card.journal.fieldEvents == [.powered, .deselected])
        card.link.stop()
        try card.thread.join()
      }
      #expect(possessions.areBack())
    }

    @Test func `a field that goes away is a loss, and a second terminal is answered as the first`() throws {
      let card = try ServedCard(timing: FieldTiming(waitingTimeDivisor: 4))
      let device = try card.chips.open()
      var channel = try device.channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      card.chips.simulator.setCoupled(false)
      #expect(card.journal.wait { $0.last == .field(.lost) }, "\(card.journal.entries)")
      channel.close()
      card.chips.simulator.setCoupled(true)
      for _ in 0..<2 {
        var next = try device.channel()
        #expect(try next.send(Self.selection) == [0x6D, 0x00])
        next.close()
      }
      #expect(card.journal.wait { $0.filter { $0 == .field(.deselected) }.count == 2 }, "\(card.journal.entries)")
      #expect(card.journal.fieldEvents == [.powered, .lost, .powered, .deselected, .powered, .deselected])
    }

    @Test func `an answer that takes long is waited for, by the card's own requests for more time`() throws {
      let card = try ServedCard(mood: .slow(.milliseconds(400)))
      var channel = try card.chips.open().channel()
      for exchange in ChannelContract.exchanges.prefix(2) {
        #expect(try channel.send(exchange.command) == exchange.response)
      }
    }

    enum Moment: CaseIterable, Sendable { case noTerminal, noCommand, computing }

    /// A card in a state; the terminal, if there is one, waits on a thread of its own.
    private func card(
      at moment: Moment, _ gate: ScriptedResponder.Gate
    ) throws -> (ServedCard, DedicatedThread<LinkError?, Never>?) {
      let card = try ServedCard(mood: moment == .computing ? .held(gate) : .prompt)
      if moment == .noTerminal { return (card, nil) }
      let device = try card.chips.open()
      let terminal = DedicatedThread(named: "terminal") { () -> LinkError? in
        linkError { () throws(LinkError) in
          var channel = try device.channel(responseTimeout: .seconds(3))
          _ = try channel.send(Self.selection)
          while card.thread.result == nil { usleep(1_000) }
          _ = try channel.send(Self.selection)
        }
      }
      try #require(card.journal.wait { $0.contains(.command(Self.selection)) })
      if moment == .noCommand { usleep(50_000) }
      return (card, terminal)
    }

    private func end(
      at moment: Moment, by act: (ServedCard) -> Void
    ) throws -> LinkError? {
      let gate = ScriptedResponder.Gate()
      let (card, terminal) = try card(at: moment, gate)
      act(card)
      if moment == .computing { gate.open() }
      let error = linkError { () throws(LinkError) in try card.thread.join() }
      if moment != .noTerminal { #expect(card.journal.fieldEvents.last == .lost) }
      _ = terminal?.join()
      return error
    }

    @Test(arguments: Moment.allCases)
    func `a card that is stopped leaves the field, in every state`(moment: Moment) throws {
      #expect(try end(at: moment) { $0.link.stop() } == nil)
      #expect(possessions.areBack())
    }

    @Test(arguments: Moment.allCases)
    func `a device that vanishes ends the card with a clear error, in every state`(moment: Moment) throws {
      let error = try end(at: moment) { $0.chips.simulator.stop() }
      #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
      #expect(possessions.areBack())
    }

    @Test(arguments: Moment.allCases)
    func `libnfc's process is killed: a clear error in every state, and the engine goes on`(moment: Moment) throws {
      let error = try end(at: moment) { _ in
        for process in Possessions.processes() { kill(process, SIGKILL) }
      }
      #expect(error?.code == .serviceUnavailable, "\(error?.reason ?? "none")")
      #expect(possessions.areBack())
      let card = try ServedCard()
      var channel = try card.chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
    }

    @Test func `a link that was stopped before does not present its card`() throws {
      let chips = try SimulatedChips(.pair)
      let device = try chips.open(1)
      let link = NFCLink(device)
      link.stop()
      let journal = ResponderJournal()
      try serving(link, ChannelContract.responder(journal: journal)).join()
      #expect(journal.entries.isEmpty)
      // The device is free for the next one, and no abort is left over.
      let second = NFCLink(device)
      let thread = serving(second, ChannelContract.responder(journal: journal))
      var channel = try chips.open().channel()
      #expect(try channel.send(Self.selection) == [0x6D, 0x00])
      second.stop()
      try thread.join()
    }
  }
}

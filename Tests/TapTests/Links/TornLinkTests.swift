#if PCSC
  import ContactlessPayment
  import EMVCard
  import Fixtures
  import Glibc
  import ISO7816
  import Links
  import NFCReader
  import Octets
  import PCSCReader
  import PaymentSupport
  import Synchronization
  import TestSupport
  import Testing
  import VirtualCard

  /// The loopback's part, with every shipped card, is `EveryExchangeTests`.
  @Suite(
    "One verification and one payment over real links, torn at every exchange", .blocks, .serialized,
    .timeLimit(.minutes(20)))
  struct TornLinkTests {
    /// A tap of each scheme.
    static let taps = CardTap.shipped.filter {
      ["visa-cvn18", "mastercard-cvn21", "amex-mobile"].contains($0.card)
    }

    @Test func `each scheme is in the table`() {
      #expect(Set(Self.taps.map { $0.aid.prefix(10) }).count == 3, "\(Self.taps)")
    }

    @Test(arguments: taps.indices)
    func `through pcscd, a torn tap gives at most one cryptogram more`(_ index: Int) async {
      // In a process of its own: libpcsclite reads the name of its socket once.
      await #expect(processExitsWith: .success) { [index] in
        let tap = TornLinkTests.taps[index]
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        for exchange in tap.commands.indices {
          let torn = try await TornTap(tap)
          try await torn.session.startEmulation(on: VPCDLink(port: pcscd.port, clock: torn.setup.clock))
          let (reader, commands) = (pcscd.readerNames[0], try tap.commands.map { try [UInt8](hex: $0) })
          let faults = try await torn.faults(limit: 2) { [torn] (responses) throws(LinkError) in
            for count in [exchange + 1, commands.count] {
              guard
                try torn.found({ () throws(LinkError) in
                  _ = try PCSCMonitor().waitForCard(in: reader, timeout: .milliseconds(200))
                })
              else { return }
              var channel = try PCSCChannel(reader: reader)
              for command in commands.prefix(count) { responses.append(try channel.response(to: command)) }
              channel.close()
            }
          }
          // The parent of this process receives the comment, not the values.
          #expect(faults == [], "exchange \(exchange): \(faults)")
          // pcscd polls its readers: the next card must not be taken for this one.
          while try PCSCService.readers().contains(where: { $0.card != nil }) { usleep(10_000) }
        }
      }
    }

    @Test(arguments: taps.indices, ChipPair.Departure.allCases)
    func `between chips, only a tear gives one cryptogram more`(
      _ index: Int, _ departure: ChipPair.Departure
    ) async throws {
      let tap = Self.taps[index]
      let pair = try ChipPair()
      let commands = try tap.commands.map { try [UInt8](hex: $0) }
      for exchange in tap.commands.indices {
        let torn = try await TornTap(tap)
        try await torn.session.startEmulation(on: NFCLink(pair.target, clock: torn.setup.clock))
        let faults = try await torn.faults(limit: departure == .tear ? 2 : 1) { (responses) throws(LinkError) in
          for count in [exchange + 1, commands.count] {
            var channel: NFCChannel?
            guard
              try torn.found({ () throws(LinkError) in
                channel = try NFCChannel(pair.reader, timeout: .milliseconds(500))
              }), let channel = channel.take()
            else { return }
            try pair.exchange(Array(commands.prefix(count)), departure, over: channel, into: &responses)
          }
        }
        #expect(faults == [], "exchange \(exchange)")
      }
    }
  }

  /// A session whose tap is torn once and then repeated.
  private struct TornTap: Sendable {
    let tap: CardTap
    let setup: LossSetup
    let session: ContactlessPaymentSession
    private let log: LossLog
    private let hasEnded = Flag()

    final class Flag: Sendable {
      private let value = Mutex(false)
      var isSet: Bool { value.withLock(\.self) }
      func set() { value.withLock { $0 = true } }
    }

    init(_ tap: CardTap) async throws {
      self.tap = tap
      setup = try await LossSetup(card: tap.card)
      (session, log) = try await setup.armed()
    }

    /// Repeats a search for the card until it is found or the session has ended and has taken it away.
    func found(_ search: () throws(LinkError) -> Void) throws(LinkError) -> Bool {
      while true {
        let isLast = hasEnded.isSet
        do throws(LinkError) {
          try search()
          return true
        } catch {
          guard error.code == .timedOut else { throw error }
        }
        if isLast { return false }
      }
    }

    /// Runs a terminal, ends the session and returns the ways in which it broke the rule.
    func faults(
      limit: Int, _ terminal: @escaping @Sendable (inout [String]) throws(LinkError) -> Void
    ) async throws -> [String] {
      let (log, hasEnded) = (log, hasEnded)
      let reading = Task {
        _ = await log.drain()
        hasEnded.set()
      }
      let responses = await DedicatedThread(named: "terminal") {
        var responses: [String] = []
        // A session that ends takes its card away, also during a command.
        do throws(LinkError) { try terminal(&responses) } catch { #expect(error.code == .cardRemoved, "\(error)") }
        return responses
      }.value()
      await session.cancel()
      await reading.value
      await session.finished()
      let image = try CardImage(json: [UInt8](Fixtures.data("Cards/\(tap.card).json")))
      return TornPayment(
        tap, responses: responses, events: log.events, usesSpent: try LossSetup.uses - setup.usesLeft(),
        firstCounter: image.applications.first { "\($0.aid)" == tap.aid }?.firstATC ?? 0
      ).faults(limit: limit)
    }
  }
#endif

#if PCSC
  import ContactlessPayment
  import EMVData
  import EMVTerminal
  import Fixtures
  import Glibc
  import ISO7816
  import Links
  import NFCReader
  import Octets
  import PCSCReader
  import PaymentAcceptance
  import PaymentSimulation
  import ReaderSimulator
  import TestSupport
  import Testing
  import Transcripts
  import VirtualCard

  @testable import tap

  /// Between the same card and the same terminal nothing depends on what lies between them.
  @Suite("The same tap over every link", .blocks, .serialized, .timeLimit(.minutes(20)))
  struct EveryLinkTests {
    enum Way: String, CaseIterable, Sendable {
      case replay
      case readerService = "a real pcscd"
      case simulatedChip = "a card on a chip that libnfc drives"
      case twoChips = "two chips that libnfc drives"
      case escapeCommands = "two ACR122 readers under pcscd"
    }

    @Test(arguments: [
      "visa-cvn10", "visa-cvn18", "co-badged", "mastercard-cvn16", "mastercard-cvn21", "amex-mobile", "amex-magstripe",
      "amex-cda", "jcb-mobile", "jcb-cda", "discover", "discover-cda", "unionpay", "unionpay-fdda",
    ])
    func `every byte is that of the loopback`(card: String) async {
      // In a process of its own: libpcsclite reads the name of its socket once.
      await #expect(processExitsWith: .success) { [card] in
        // An error that left this closure would end the process without a word.
        do {
          try await EveryLinkTests.compareLinks(card)
        } catch { Issue.record(error, "\(card)") }
      }
    }

    private static func compareLinks(_ card: String) async throws {
      let expected = try await LinkTap(card: card).overLoopback()
      #expect(expected.exchanges.count >= 4)
      let readers = try LinkReaders()
      for way in Way.allCases {
        let seen = try await LinkTap(card: card).over(way, of: readers, expecting: expected)
        #expect(seen.octets.count == expected.octets.count, "\(card) over \(way.rawValue)")
        for (number, (one, other)) in zip(seen.octets, expected.octets).enumerated() {
          #expect(one == other, "\(card) over \(way.rawValue), \(number): \(one?.hex ?? "") \(other?.hex ?? "")")
        }
      }
    }

    @Test func `another seed is another tap, so the comparison sees the terminal's bytes`() async throws {
      let first = try await LinkTap(card: "visa-cvn18").overLoopback()
      let second = try await LinkTap(card: "visa-cvn18", seed: 3).overLoopback()
      #expect(first.octets != second.octets)
      #expect(first.octets.count == second.octets.count)
    }
  }

  extension Transcript {
    /// What was on the wire, without times and without the identity of link and card.
    var octets: [[UInt8]?] { exchanges.flatMap { [$0.command, $0.response] } }
  }

  /// The readers of one process, which can speak to one pcscd only.
  private struct LinkReaders {
    let service: PrivateReaderService
    let port: UInt16
    private let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      let virtual = try ReaderEntry.virtualReader(named: "Every Link")
      port = UInt16(virtual.channel)
      let directory = scratch.path(".")
      let chips = [0, 1].map { number in
        ReaderEntry(
          friendlyName: "Every Chip \(number)", deviceName: "/dev/null:\(directory)/chip\(number)",
          driver: ReaderSlots.driver)
      }
      service = try PrivateReaderService(readers: [virtual] + chips)
      setenv("PCSCLITE_CSOCK_NAME", service.socketPath, 1)
    }

    var virtual: String { service.readerNames[0] }

    /// The readers whose chips are in one field, plugged in.
    func chips() throws -> (simulator: EscapeReader, names: [String]) {
      (try EscapeReader(.pair, in: scratch.path(".")), Array(service.readerNames.suffix(2)))
    }
  }

  /// One tap of a freshly provisioned card at a fixed moment, with a terminal whose random numbers are known.
  private struct LinkTap {
    let setup: LossSetup
    let terminal: LinkTerminal

    init(card: String, seed: UInt64 = 2) async throws {
      setup = try await LossSetup(card: card)
      terminal = try LinkTerminal(card: card, issuer: setup.issuer, clock: setup.clock, seed: seed)
    }

    func overLoopback() async throws -> Transcript {
      let loopback = Loopback(clock: setup.clock)
      return try await pay(on: loopback) { [terminal] () throws(LinkError) in
        terminal.accept(over: try loopback.connect(timeout: .seconds(600)))
      }
    }

    func over(
      _ way: EveryLinkTests.Way, of readers: LinkReaders, expecting recorded: Transcript
    ) async throws -> Transcript {
      switch way {
      case .replay: return terminal.accept(over: ReplayChannel(recorded))
      case .readerService: return try await over(readers)
      case .simulatedChip: return try await overChip()
      case .twoChips: return try await overTwoChips()
      case .escapeCommands: return try await overEscapeCommands(readers)
      }
    }

    private func over(_ readers: LinkReaders) async throws -> Transcript {
      let reader = readers.virtual
      let link = try VPCDLink(port: readers.port, clock: setup.clock)
      return try await pay(on: link) { [terminal] () throws(LinkError) in
        _ = try PCSCMonitor().waitForCard(in: reader, timeout: .seconds(60))
        return terminal.accept(over: try PCSCChannel(reader: reader))
      }
    }

    private func overChip() async throws -> Transcript {
      let simulator = try ReaderSimulator(.card(ProximityIdentity()))
      return try await pay(on: simulator) { [terminal] () throws(LinkError) in
        try terminal.accept(at: simulator.connstrings[0])
      }
    }

    private func overTwoChips() async throws -> Transcript {
      let simulator = try ReaderSimulator(.pair)
      let chips = DedicatedThread(named: "chips") { () throws(LinkError) in try simulator.run() }
      let device = try await DedicatedThread(named: "device") { () throws(LinkError) in
        try NFCDevice(simulator.connstrings[1])
      }.value()
      let transcript = try await pay(on: NFCLink(device, clock: setup.clock)) { [terminal] () throws(LinkError) in
        try terminal.accept(at: simulator.connstrings[0])
      }
      simulator.stop()
      try await chips.value()
      return transcript
    }

    private func overEscapeCommands(_ readers: LinkReaders) async throws -> Transcript {
      let (simulator, names) = try readers.chips()
      let chips = DedicatedThread(named: "chips") { () throws(LinkError) in try simulator.run() }
      let device = try await DedicatedThread(named: "device") { () throws(LinkError) in
        try ACR122Device(reader: names[1])
      }.value()
      let transcript = try await pay(on: ACR122Link(device, clock: setup.clock)) { [terminal] () throws(LinkError) in
        terminal.accept(over: try ACR122Channel(ACR122Device(reader: names[0]), timeout: .seconds(60)))
      }
      await DedicatedThread(named: "device") { device.close() }.value()
      simulator.stop()
      try await chips.value()
      return transcript
    }

    private func pay(
      on link: some EmulationLink, _ tap: @escaping @Sendable () throws(LinkError) -> Transcript
    ) async throws -> Transcript {
      let (session, log) = try await setup.armed()
      try await session.startEmulation(on: CheckedLink(base: link, clock: setup.clock))
      let transcript = try await DedicatedThread(named: "terminal", tap).value()
      #expect(await log.drain().last == "transactionCompleted")
      await setup.end(session)
      return transcript
    }
  }

  /// A link whose commands come at the instants of the setup's clock, also when its field's time is the system's, and which
  /// is checked for its contract.
  private struct CheckedLink: EmulationLink {
    let base: any EmulationLink
    let clock: ManualClock

    func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
      var card = CheckedCard(base: consume responder, clock: clock)
      do throws(LinkError) {
        try base.serve(&card)
        responder = card.release()
      } catch {
        responder = card.release()
        throw error
      }
    }

    func stop() { base.stop() }
  }

  private struct CheckedCard<Base: CommandResponder & ~Copyable>: CommandResponder, ~Copyable {
    var base: Base
    let clock: ManualClock
    /// Whether the link has not reported that the last response has left.
    private var awaitsReport = false

    init(base: consuming Base, clock: ManualClock) {
      self.base = base
      self.clock = clock
    }

    mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
      #expect(!awaitsReport)
      awaitsReport = true
      return base.respond(to: command, at: clock.now, into: &response)
    }

    mutating func responseSent() {
      awaitsReport = false
      base.responseSent()
    }

    mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
      #expect(!awaitsReport)
      base.fieldChanged(event, at: clock.now)
    }

    consuming func release() -> Base { base }
  }

  private struct LinkTerminal: Sendable {
    private let terminal: PaymentAcceptance
    private let request: PaymentRequest

    init(card: String, issuer: TestIssuerHost, clock: ManualClock, seed: UInt64) throws {
      let isFurther = ["amex", "jcb", "discover", "unionpay"].contains { card.hasPrefix($0) }
      let profile = isFurther ? "all-kernels" : "attended-eur"
      terminal = PaymentAcceptance(
        configuration: try TerminalConfiguration(json: Fixtures.data("Terminals/\(profile).json")), host: issuer,
        clock: clock, random: SeededRandomSource(seed: seed))
      request = PaymentRequest(
        amount: try Amount("12.34", exponent: 2), currency: try #require(terminal.configuration.currency("EUR")),
        date: try #require(TransactionDate(year: 2026, month: 11, day: 20)),
        time: try #require(TransactionTime(hour: 9, minute: 5, second: 59)))
    }

    func accept<Channel: CardChannel & ~Copyable>(over channel: consuming Channel) -> Transcript {
      let result = terminal.result(of: request, over: &channel)
      channel.close()
      let outcome = try? result.get().outcome.kind
      #expect(outcome == .approved, "\(result)")
      return result.record.transcript
    }

    func accept(at connstring: String) throws(LinkError) -> Transcript {
      accept(over: try NFCChannel(try NFCDevice(connstring), timeout: .seconds(60)))
    }
  }
#endif

import Documents
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

/// A kernel that exists only in this test target: it greets the card as often as its profile says, holds the card for
/// the host's response, and counts its payments in its memory.
struct ToyKernel: ConfiguredKernel {
  static let greetings = ProfileKey("greetings", .integer, isRequired: true, range: 1...9, help: "How often it greets.")
  static let definition = KernelDefinition(
    KernelIdentifier(0x2D), profileKeys: [greetings, ReaderLimits.key()],
    phases: [.init(.greet, shortName: "greet")], maximumCommandCount: 10,
    recordedMembers: { recorded in recorded(0xDF01).map { [.init("greetings", JSONValue(Int($0[0])))] } ?? [] },
    read: { application, currencies in
      ToyKernel(
        greetings: application.integer(greetings) ?? 1,
        limits: ReaderLimits(reading: &application, currencies))
    })

  let greetings: Int
  let limits: ReaderLimits

  func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData {
    if let limit = limits[request].transaction, request.amount.minorUnits > limit {
      throw StepFailure(.preprocessing, .tooMuchForAToy)
    }
    return dataWithoutPreprocessing(for: request)
  }

  func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData {
    TerminalData([0xDF01: [UInt8(greetings)]])
  }

  func check(_ application: SelectedApplication) throws(StepFailure) {
    guard application.label == "TOY" else { throw StepFailure(.selectApplication, .malformed("tag 50 is not TOY")) }
  }

  func activate(_ application: SelectedApplication) -> any KernelMachine { Machine(greetings: greetings) }

  struct Machine: KernelMachine {
    let greetings: Int
    var count = 0
    var request: AuthorizationRequest?

    mutating func start(_ terminal: inout KernelTerminal) -> KernelStep { greet() }

    mutating func receive(_ response: ResponseAPDU, _ terminal: inout KernelTerminal) -> KernelStep {
      if let request {
        return .outcome(response.status.isOK ? .approved(request) : .declined(request, StepFailure(.greet, .rude)))
      }
      guard response.status.isOK else { return .selectNext(StepFailure(.greet, .status(response.status))) }
      guard count == greetings, let number = PrimaryAccountNumber(compressedNumeric: response.data) else {
        return greet()
      }
      let payments = (terminal.memory.octets.first ?? 0) + 1
      terminal.memory.octets = [payments]
      let request = AuthorizationRequest(
        elements: [TLVNode(0x5A, response.data), TLVNode(0xDF02, [payments])], accountNumber: number,
        cryptogramType: nil, verification: .none, payment: terminal.request)
      self.request = request
      var outcome = PaymentOutcome.onlineRequest(request)
      outcome.onlineResponse = terminal.data[0xDF01] == [2] ? .twoPresentments : .presentAndHold
      outcome.discretionaryData = [TLVNode(0xDF03, [UInt8(count)])]
      return .outcome(outcome)
    }

    mutating func cardLeft(_ terminal: inout KernelTerminal) -> PaymentOutcome {
      terminal.memory.octets = [0xFF]
      return .tryAgain(StepFailure(terminal.phase, .linkLost))
    }

    mutating func resume(_ answer: HostResponse, _ terminal: inout KernelTerminal) -> KernelStep {
      .transmit(Self.command(answer.data.authenticationData ?? []), .greet)
    }

    private mutating func greet() -> KernelStep {
      count += 1
      return .transmit(Self.command(Array("hello".utf8)), .greet)
    }

    static func command(_ data: [UInt8]) -> CommandAPDU {
      // swift-format-ignore: NeverUseForceTry
      try! CommandAPDU(cla: 0x80, ins: 0x55, p1: 0, p2: 0, data: data, expectedLength: 256)
    }
  }
}

extension TransactionPhase {
  static let greet = TransactionPhase(rawValue: "GREET")
}

extension StepFailure.Code {
  static let tooMuchForAToy = Self("tooMuchForAToy", "the amount is too much for a toy")
  static let rude = Self("rude", "the card did not say goodbye")
}

/// The recipe "add a kernel" of the article: nothing under Sources names the toy kernel.
@Suite struct ToyKernelTests {
  static func configuration(
    greetings: JSONValue = 3, further: KeyValuePairs<String, JSONValue> = [:]
  ) throws -> TerminalConfiguration {
    let toy: JSONValue = [
      "name": "Toy", "aids": ["F0544F5901"], "kernel": 0x2D, "greetings": greetings,
      "limits": [["currency": "EUR", "transaction": "10.00"]],
    ]
    let profile = try Terminals.profile("unattended-kiosk").setting("applications[2]", to: toy)
    return try TerminalConfiguration(
      further.reduce(profile) { $0.setting($1.key, to: $1.value) },
      kernels: TerminalConfiguration.kernels + [ToyKernel.definition])
  }

  /// A card with the toy's application alone.
  static func answer(_ command: CommandAPDU, label: String = "TOY", greeting: StatusWord = .ok) -> ResponseAPDU {
    let name = octets("F0544F5901")
    if command.data == FileControlInformation.ppseName {
      let entry = CardDouble.entry(name, priority: 1, kernel: [0x2D])
      return CardDouble().information(command.data, [TLVNode(.fciIssuerDiscretionaryData, [entry])])
    }
    if command.ins == Instruction.select {
      return CardDouble().information(name, [TLVNode(.applicationLabel, Array(label.utf8))])
    }
    return ResponseAPDU(data: octets("5413330089600044"), status: greeting)
  }

  @Test func `a kernel of a test target takes a whole payment and holds the card for the host's answer`() throws {
    let configuration = try Self.configuration()
    var transaction = try TerminalTransaction(
      Terminals.request("9.00", "EUR", configuration), configuration: configuration,
      memories: [KernelIdentifier(0x2D): KernelMemory(octets: [6])], random: Numbers())
    var phases: [TransactionPhase] = []
    var step = transaction.start()
    while case .transmit(let command, let phase) = step {
      phases.append(phase)
      step = transaction.receive(Self.answer(command))
    }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    #expect(phases == [.selectDirectory, .selectApplication, .greet, .greet, .greet])
    #expect(outcome.kind == .onlineRequest)
    #expect(outcome.onlineResponse == .presentAndHold)
    #expect(outcome.authorizationRequest?.value(0xDF02) == [7])
    #expect(outcome.discretionaryData == [TLVNode(0xDF03, [3])])
    #expect(transaction.memories == [KernelIdentifier(0x2D): KernelMemory(octets: [7])])

    let answered = transaction.finish(
      HostResponse(.approved, data: IssuerData(authenticationData: [1, 2, 3, 4, 5, 6, 7, 8])))
    guard case .transmit(let goodbye, .greet) = answered else { throw Terminals.Unreachable() }
    #expect(goodbye.data == [1, 2, 3, 4, 5, 6, 7, 8])
    guard case .outcome(let end) = transaction.receive(ResponseAPDU(status: .ok)) else { throw Terminals.Unreachable() }
    #expect(end.kind == .approved)
  }

  @Test func `a kernel that needs the card again selects it a second time, start B`() throws {
    let configuration = try Self.configuration(greetings: 2)
    var transaction = try TerminalTransaction(
      Terminals.request("9.00", "EUR", configuration), configuration: configuration, random: Numbers())
    var step = transaction.start()
    while case .transmit(let command, _) = step { step = transaction.receive(Self.answer(command)) }
    guard case .outcome(let again) = transaction.finish(HostResponse(.approved)) else { throw Terminals.Unreachable() }
    #expect(again.kind == .tryAgain)
    #expect(again.restart == .issuerUpdate)
    guard case .transmit(let select, .selectApplication) = transaction.restart() else { throw Terminals.Unreachable() }
    #expect(select.data == octets("F0544F5901"))
    // The card leaves once more: the machine keeps the host's response.
    #expect(transaction.loseCard().restart == .issuerUpdate)
    guard case .transmit(let second, _) = transaction.restart() else { throw Terminals.Unreachable() }
    guard case .transmit(_, .greet) = transaction.receive(Self.answer(second)) else { throw Terminals.Unreachable() }
    guard case .outcome(let end) = transaction.receive(ResponseAPDU(status: .notFound)) else {
      throw Terminals.Unreachable()
    }
    #expect(end.kind == .declined)
    #expect(end.failure == StepFailure(.greet, .rude))
  }

  @Test func `a kernel keeps a torn payment in its memory`() throws {
    let configuration = try Self.configuration()
    var transaction = try TerminalTransaction(
      Terminals.request("9.00", "EUR", configuration), configuration: configuration, random: Numbers())
    var step = transaction.start()
    while case .transmit(let command, let phase) = step, phase != .greet {
      step = transaction.receive(Self.answer(command))
    }
    #expect(transaction.loseCard().failure == StepFailure(.greet, .linkLost))
    #expect(transaction.memories[KernelIdentifier(0x2D)]?.octets == [0xFF])
  }

  @Test func `a kernel refuses an amount, an application and a card`() throws {
    let configuration = try Self.configuration()
    let tooMuch = try Terminals.tap("10.01", "EUR", configuration) { Self.answer($0) }
    #expect(tooMuch.failures.contains(StepFailure(.preprocessing, .tooMuchForAToy)))
    let label = try Terminals.tap("9.00", "EUR", configuration) { Self.answer($0, label: "TOYS") }
    #expect(label.outcome.rejectedApplications.map(\.description) == ["F0544F5901: SELECT AID: tag 50 is not TOY"])
    let refused = try Terminals.tap("9.00", "EUR", configuration) { Self.answer($0, greeting: .notFound) }
    #expect(
      refused.outcome.rejectedApplications.map(\.failure) == [StepFailure(.greet, .status(.notFound))])
  }

  @Test(
    arguments: [
      (["applications[2].greetings": 0], "$.applications[2].greetings"),
      (["applications[2].qualifiers": "36004000"], "$.applications[2].qualifiers"),
      (["applications[0].greetings": 1], "$.applications[0].greetings"),
    ] as [(KeyValuePairs<String, JSONValue>, String)])
  func `a profile has the keys of each application's own kernel`(
    changes: KeyValuePairs<String, JSONValue>, path: String
  )
    throws
  {
    let error = try #require(throws: TerminalProfileError.self) { try Self.configuration(further: changes) }
    #expect(error.problems.map(\.path) == [path])
  }

  @Test func `the commands of a kernel bound those of a payment`() throws {
    let profile = try Terminals.profile("unattended-kiosk").setting(
      "applications",
      to: [
        [
          "name": "Toy", "aids": ["F0544F5901"], "kernel": 0x2D, "greetings": 1,
          "limits": [["currency": "EUR"]],
        ]
      ])
    let configuration = try TerminalConfiguration(profile, kernels: [ToyKernel.definition])
    #expect(configuration.maximumCommandCount == 1 + 2 * CandidateList.maximumCount + 10 - 1)
  }
}

import Documents
import EMVData
import EMVTerminal
import Fixtures
import ISO7816
import JSON
import Links
import Octets
import PaymentAcceptance
import Testing
import Transcripts

/// A kernel that needs the card for the host's response, as its setting says, and counts its payments.
private struct UpdatingKernel: ConfiguredKernel {
  static func definition(_ response: PaymentOutcome.OnlineResponse) -> KernelDefinition {
    KernelDefinition(KernelIdentifier(3), profileKeys: [ReaderLimits.key()]) { application, currencies in
      application.acceptUnknownKeys()
      _ = ReaderLimits(reading: &application, currencies)
      return UpdatingKernel(onlineResponse: response)
    }
  }

  let onlineResponse: PaymentOutcome.OnlineResponse

  func prepare(_ request: PaymentRequest) throws(StepFailure) -> TerminalData { TerminalData() }
  func dataWithoutPreprocessing(for request: PaymentRequest) -> TerminalData { TerminalData() }
  func activate(_ application: SelectedApplication) -> any KernelMachine { Machine(onlineResponse: onlineResponse) }

  struct Machine: KernelMachine {
    let onlineResponse: PaymentOutcome.OnlineResponse
    var request: AuthorizationRequest?

    mutating func start(_ terminal: inout KernelTerminal) -> KernelStep {
      .transmit(.getData(0x9F36), .processingOptions)
    }

    mutating func receive(_ response: ResponseAPDU, _ terminal: inout KernelTerminal) -> KernelStep {
      if let request { return .outcome(.approved(request)) }
      terminal.memory.octets.append(1)
      // swift-format-ignore: NeverForceUnwrap
      let request = AuthorizationRequest(
        elements: [], accountNumber: PrimaryAccountNumber(compressedNumeric: Script.hex("4761739001010010"))!,
        cryptogramType: nil, verification: .none, payment: terminal.request)
      self.request = request
      var outcome = PaymentOutcome.onlineRequest(request)
      outcome.onlineResponse = onlineResponse
      return .outcome(outcome)
    }

    mutating func resume(_ answer: HostResponse, _ terminal: inout KernelTerminal) -> KernelStep {
      guard onlineResponse == .none, let request else { return .transmit(.getData(0x9F17), .authorization) }
      return .outcome(answer.outcome(of: request))
    }
  }
}

@Suite struct KernelDriverTests {
  static func terminal(
    _ response: PaymentOutcome.OnlineResponse, _ host: any AuthorizationHost, _ clock: ManualClock,
    removalTimeout: Int? = nil
  ) throws -> PaymentAcceptance {
    var profile = try JSONValue(parsing: Fixtures.data("Terminals/attended-eur.json"))
    profile = profile.setting("applications[1]", to: nil)
    if let removalTimeout { profile = profile.setting("applications[0].removalTimeout", to: .init(removalTimeout)) }
    return PaymentAcceptance(
      configuration: try TerminalConfiguration(profile, kernels: [UpdatingKernel.definition(response)]), host: host,
      clock: clock, random: SeededRandomSource(seed: 1))
  }

  static func card(_ answers: [[UInt8]]) -> ScriptedField.Tap { .card(answers.map { .octets($0) }) }

  @Test func `the card stays in the field while the host answers, for a kernel that holds it`() throws {
    let (clock, host) = (ManualClock(), FixedHost())
    let terminal = try Self.terminal(.presentAndHold, host, clock)
    var field = ScriptedField(
      [Self.card([Script.directory, Script.application, Script.status(0x9000), Script.status(0x9000)])], clock: clock)
    let receipt = try terminal.accept(Script.request(terminal.configuration), at: &field)
    #expect(receipt.outcome.kind == .approved)
    #expect(receipt.exchanges.map(\.phase).suffix(2) == [.processingOptions, .authorization])
    #expect(receipt.restarts.isEmpty)
    #expect(host.asked.count == 1)
    #expect(receipt.authorizationCode == "123456")
  }

  @Test func `after the removal time-out the card may leave, and the host's verdict stands without it`() throws {
    let clock = ManualClock()
    let host = PatientHost()
    var terminal = try Self.terminal(.presentAndHold, host, clock, removalTimeout: 0)
    terminal.display = { if $0.message == .cardRead { host.answer() } }
    var field = ScriptedField(
      [Self.card([Script.directory, Script.application, Script.status(0x9000), Script.status(0x9000)])], clock: clock)
    let result = try terminal.result(of: Script.request(terminal.configuration), at: &field)
    let receipt = try result.get()
    #expect(receipt.outcome.kind == .approved && receipt.authorizationCode == "654321")
    // The response does not reach the card.
    #expect(receipt.exchanges.last?.phase == .processingOptions)
    #expect(receipt.record.messages.map(\.message).suffix(3) == [.authorising, .cardRead, .approved])
    #expect(receipt.record.findings.removalTimedOut)
    let transcript = result.transcript(ofTerminal: Array("{}".utf8))
    #expect(transcript[.removal] == "timed out")

    // A replay takes the verdict of the recording, whose host answers at once.
    var replay = try Self.terminal(.presentAndHold, RecordedHost(transcript[.host]), clock, removalTimeout: 255)
    replay.findings = try TerminalFindings(transcript)
    field = ScriptedField(
      [Self.card([Script.directory, Script.application, Script.status(0x9000)])], clock: clock)
    let second = try replay.accept(Script.request(replay.configuration), at: &field)
    #expect(second.outcome.kind == .approved && second.record.messages == receipt.record.messages)
  }

  @Test func `a host that answers within the removal time-out reaches the card`() throws {
    let (clock, host) = (ManualClock(), FixedHost())
    let terminal = try Self.terminal(.presentAndHold, host, clock, removalTimeout: 255)
    var field = ScriptedField(
      [Self.card([Script.directory, Script.application, Script.status(0x9000), Script.status(0x9000)])], clock: clock)
    let receipt = try terminal.accept(Script.request(terminal.configuration), at: &field)
    #expect(receipt.exchanges.last?.phase == .authorization && !receipt.record.findings.removalTimedOut)
    #expect(receipt.record.messages.map(\.message).suffix(3) == [.authorising, .cardRead, .approved])
  }

  @Test func `a second tap takes the host's answer to the card, for a kernel that needs two presentments`() throws {
    let (clock, host) = (ManualClock(), FixedHost())
    let terminal = try Self.terminal(.twoPresentments, host, clock)
    var field = ScriptedField(
      [
        Self.card([Script.directory, Script.application, Script.status(0x9000)]),
        Self.card([Script.application, Script.status(0x9000)]),
      ], clock: clock)
    let receipt = try terminal.accept(Script.request(terminal.configuration), at: &field)
    #expect(receipt.outcome.kind == .approved)
    #expect(receipt.restarts.map(\.start) == [.issuerUpdate])
    #expect(receipt.exchanges.map(\.tap) == [1, 1, 1, 2, 2])
    #expect(host.asked.count == 1)
  }

  @Test func `a kernel's memory is in the record and goes into the next payment`() throws {
    let (clock, host) = (ManualClock(), FixedHost())
    var terminal = try Self.terminal(.none, host, clock)
    terminal.memories = [KernelIdentifier(3): KernelMemory(octets: [9])]
    var channel = ScriptedChannel(
      [Script.directory, Script.application, Script.status(0x9000)].map { .octets($0) }, clock: clock)
    let result = terminal.result(of: try Script.request(terminal.configuration), over: &channel)
    #expect(result.record.memories == [KernelIdentifier(3): KernelMemory(octets: [9, 1])])
  }
}

/// A host that responds after `answer()`.
private final class PatientHost: AuthorizationHost {
  private let isReady = WaitableState(false)

  func answer() { isReady.update { $0 = true } }

  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    // A test that fails must end.
    _ = isReady.wait(for: .seconds(60)) { $0 ? true : nil }
    return .approved(code: "654321")
  }
}

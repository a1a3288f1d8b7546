internal import EMVData
internal import ISO7816
internal import Octets

// One activation of kernel 2. No public book has the order of its steps; see `Kernel2`.
struct Kernel2Machine: KernelMachine {
  enum State {
    case idle
    case gettingOptions
    case measuringDistance(RelayExchange)
    case readingRecords(RecordReading, ChipMode)
    case readingCounters(CounterReading)
    case recovering(Recovery)
    case generatingCryptogram(Generation)
    case computingChecksum(Computation)
    case awaitingHost(AuthorizationRequest, HeldCard?)
    case completing(Completion)
    case generatingSecondCryptogram(Completion, CommandAPDU, asked: CryptogramType)
    case ended
  }

  struct RelayExchange {
    let card: CardData
    let records: [RecordReading.Record]
    // How many exchanges there were before this one.
    let furtherTries: Int
  }

  struct Computation {
    let card: CardData
    let tracks: MagStripeTracks
    // Tag 9F6A, one digit a nibble.
    let unpredictableNumber: UInt32
  }

  let kernel: Kernel2
  let application: SelectedApplication
  var state = State.idle
  // CDA, with what a signature of the card covers.
  var combined = CombinedAuthentication()
  // What was measured in that exchange, or nil.
  private(set) var relayMeasurement: RelayMeasurement?

  var settings: Kernel2Configuration { kernel.configuration }

  mutating func start(_ terminal: inout KernelTerminal) -> KernelStep {
    state = .gettingOptions
    combined.options = application.processingOptions.values(from: terminal.data)
    return ProcessingOptions.request(for: application, from: terminal.data)
  }

  mutating func receive(_ response: ResponseAPDU, _ terminal: inout KernelTerminal) -> KernelStep {
    do throws(StepFailure) {
      switch exchange(&state, with: .ended) {
      case .gettingOptions: return try receiveOptions(response, &terminal)
      case .measuringDistance(let measurement): return try receiveRelayData(response, measurement, &terminal)
      case .readingRecords(var reading, let mode):
        try reading.receive(response)
        return try readNext(reading, mode, &terminal)
      case .readingCounters(let reading): return try receiveCounter(response, reading, &terminal)
      case .recovering(let recovery): return try receiveRecovery(response, recovery, &terminal)
      case .generatingCryptogram(let generation): return try receiveCryptogram(response, generation, &terminal)
      case .computingChecksum(let computation): return try receiveChecksum(response, computation, &terminal)
      case .completing(var completion):
        completion.update.receive(response, &terminal)
        return try complete(completion, &terminal)
      case .generatingSecondCryptogram(let completion, let command, let asked):
        return try receiveSecondCryptogram(response, completion, command, asked, &terminal)
      case .idle, .awaitingHost, .ended: preconditionFailure("kernel 2 awaits no response")
      }
    } catch {
      var outcome = PaymentOutcome.endApplication(error)
      outcome.dataAuthentication = combined.result
      return .outcome(outcome)
    }
  }

  mutating func resume(_ answer: HostResponse, _ terminal: inout KernelTerminal) -> KernelStep {
    guard case .awaitingHost(let request, let held) = exchange(&state, with: .ended) else {
      preconditionFailure("kernel 2 awaits no response of the host")
    }
    guard let held, answer.verdict != .undecided else { return .outcome(answer.outcome(of: request)) }
    do throws(StepFailure) {
      return try complete(Completion(held, request, answer), &terminal)
    } catch { return .outcome(.endApplication(error)) }
  }

  mutating func cardLeft(_ terminal: inout KernelTerminal) -> PaymentOutcome {
    switch exchange(&state, with: .ended) {
    case .generatingCryptogram(let generation): keepTorn(generation, &terminal)
    case .completing(let completion):
      if let outcome = completion.outcome(&terminal) { return outcome }
    default: break
    }
    return .tryAgain(StepFailure(terminal.phase, .linkLost))
  }

  // The data of a torn payment, which the signature of its cryptogram covers.
  mutating func restore(_ torn: TornTransaction) {
    combined.options = torn.options
    combined.relayData = torn.relayData
    relayMeasurement = nil
  }

  /// - Parameter held: What the kernel needs to go on with the card; nil when the card may leave.
  mutating func awaitHost(_ request: AuthorizationRequest, _ held: HeldCard?) -> KernelStep {
    state = .awaitingHost(request, held)
    var outcome = PaymentOutcome.onlineRequest(request)
    outcome.dataAuthentication = combined.result
    if held != nil { outcome.onlineResponse = .presentAndHold }
    return .outcome(outcome)
  }
}

// From GET PROCESSING OPTIONS to the last record.
extension Kernel2Machine {
  // Any status word other than 9000 is the outcome Select Next. No public document; open terminals agree.
  private mutating func receiveOptions(
    _ response: ResponseAPDU, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    guard response.status.isOK else {
      return .selectNext(StepFailure(.processingOptions, .status(response.status)))
    }
    let options = try ProcessingOptions(parsing: response.data)
    // Tag 9F66 is the terminal's for kernel 3, and the card's for this kernel.
    var card = CardData(cardTags: [.numberPositionsTrack2])
    try card.add(options.elements, .processingOptions)
    let profile = try card.interchangeProfile()
    guard let locator = options.locator else {
      throw StepFailure(.processingOptions, .missing(.applicationFileLocator))
    }
    let mode = try mode(profile)
    // Open terminals check the limit after the last record; nothing in the records can change the result.
    if kernel.isAboveTransactionLimit(terminal.request, isOnDevice: kernel.verifiesOnDevice(profile)) {
      return .selectNext(StepFailure(.processingOptions, .transactionLimit))
    }
    let records = Self.records(locator, mode)
    guard mode == .emv else { return try readNext(RecordReading(records, into: card), mode, &terminal) }
    return try startEMVMode(records, card, profile, &terminal)
  }

  // AIP byte 2 bit 8, where the terminal has EMV mode; else mag-stripe mode, where the terminal has that.
  private func mode(_ profile: ApplicationInterchangeProfile) throws(StepFailure) -> ChipMode {
    if profile.contains(.emvMode), !settings.options.contains(.noEMVMode) { return .emv }
    guard !settings.options.contains(.noMagStripeMode) else {
      throw StepFailure(.processingOptions, .modeNotSupported)
    }
    return .magStripe
  }

  // Mastercard cards keep the data of mag-stripe mode in record 1 of file 1, first in the locator. Mag-stripe mode
  // reads this record alone; EMV mode leaves it out. Confirmed by public recordings of both modes.
  private static func records(_ locator: ApplicationFileLocator, _ mode: ChipMode) -> [RecordReading.Record] {
    let magStripe = ApplicationFileLocator.Entry(sfi: 1, records: 1...1)
    guard locator.entries.count > 1, locator.entries.first == magStripe else { return locator.readings }
    switch mode {
    case .emv: return ApplicationFileLocator(entries: Array(locator.entries.dropFirst())).readings
    case .magStripe: return ApplicationFileLocator(entries: [magStripe]).readings
    }
  }

  private mutating func startEMVMode(
    _ records: [RecordReading.Record], _ card: CardData, _ profile: ApplicationInterchangeProfile,
    _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    var results = TerminalVerificationResults.dataAuthenticationNotPerformed
    let measures = settings.options.contains(.relayResistance)
    if measures, !profile.contains(.relayResistance) { results.insert(.relayNotPerformed) }
    terminal.verificationResults = results
    guard measures, profile.contains(.relayResistance) else {
      return try readNext(RecordReading(records, into: card), .emv, &terminal)
    }
    return exchangeRelayData(RelayExchange(card: card, records: records, furtherTries: 0), terminal)
  }

  // EXCHANGE RELAY RESISTANCE DATA: the terminal's entropy is its unpredictable number. Kernel 8 has the same command
  // (Book C-8 v1.0, 6.3.5).
  private mutating func exchangeRelayData(
    _ measurement: RelayExchange, _ terminal: KernelTerminal
  ) -> KernelStep {
    state = .measuringDistance(measurement)
    return .transmit(
      .exchangeRelayResistanceData(terminal.data[.unpredictableNumber] ?? []), .relayResistance)
  }

  private mutating func receiveRelayData(
    _ response: ResponseAPDU, _ measurement: RelayExchange, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let relay = settings.relayResistance
    // A number is drawn after every response that leaves another try, used or not: recordings hold it.
    let number = terminal.data[.unpredictableNumber]
    if measurement.furtherTries < relay.furtherTries { terminal.drawUnpredictableNumber() }
    let fresh = terminal.data[.unpredictableNumber]
    terminal.data[.unpredictableNumber] = number
    guard response.status.isOK else { throw StepFailure(.relayResistance, .status(response.status)) }
    guard let answer = RelayResistance.Answer(response.data) else {
      throw StepFailure(.relayResistance, .malformed("the response is not template 80 with ten bytes"))
    }
    combined.relayData = (number ?? []) + response.data.dropFirst(2)
    relayMeasurement = RelayMeasurement(
      furtherTries: measurement.furtherTries, entropy: answer.entropy,
      time: relay.measured(answer, elapsed: terminal.elapsed))
    switch relay.judge(answer, elapsed: terminal.elapsed, furtherTriesDone: measurement.furtherTries) {
    case .tooFast: throw StepFailure(.relayResistance, .relayTooFast)
    case .again:
      terminal.data[.unpredictableNumber] = fresh
      return exchangeRelayData(
        RelayExchange(
          card: measurement.card, records: measurement.records, furtherTries: measurement.furtherTries + 1), terminal)
    case .measured(let results):
      terminal.verificationResults.insert(results)
      return try readNext(RecordReading(measurement.records, into: measurement.card), .emv, &terminal)
    }
  }

  private mutating func readNext(
    _ reading: RecordReading, _ mode: ChipMode, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    guard let command = reading.command else {
      return switch mode {
      case .emv: try manageRisk(reading.card, &terminal)
      case .magStripe: try computeChecksum(reading.card, &terminal)
      }
    }
    state = .readingRecords(reading, mode)
    return .transmit(command, .readRecords)
  }
}

// Data objects that only kernel 2 reads.
extension CardData {
  // Tag DF4B, or nil.
  func interaction(_ phase: TransactionPhase) throws(StepFailure) -> POSCardholderInteractionInformation? {
    guard let octets = try optional(.cardholderInteraction, 3...3, phase) else { return nil }
    return POSCardholderInteractionInformation(octets: octets)
  }
}

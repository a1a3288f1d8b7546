internal import EMVData
internal import ISO7816

/// One activation of a kernel with this flow: GET PROCESSING OPTIONS, the records, the checks of the terminal, one GENERATE AC,
/// the host's response (EMV 4.4 Book 3, 10.1 to 10.8, without a second cryptogram). What kernels decide differently is in
/// their `ChipRules`.
struct ChipMachine<Rules: ChipRules>: KernelMachine {
  enum State {
    case idle
    case gettingOptions
    case readingRecords(RecordReading)
    case readingCounters(CounterReading)
    case generatingCryptogram(Generation)
    case awaitingHost(AuthorizationRequest)
    case ended
  }

  let rules: Rules
  let application: SelectedApplication
  var state = State.idle
  var mode = ChipMode.emv
  var combined = CombinedAuthentication()
  // Tag 9F35, which rules may change for the card.
  var terminalType: UInt8 = 0

  mutating func start(_ terminal: inout KernelTerminal) -> KernelStep {
    state = .gettingOptions
    terminalType = terminal.data[.terminalType]?.first ?? 0
    rules.begin(&terminal)
    do throws(StepFailure) {
      try checkLengths(application.processingOptions, .processingOptions)
    } catch { return .outcome(.endApplication(error)) }
    combined.options = application.processingOptions.values(from: terminal.data)
    return ProcessingOptions.request(for: application, from: terminal.data)
  }

  mutating func receive(_ response: ResponseAPDU, _ terminal: inout KernelTerminal) -> KernelStep {
    do throws(StepFailure) {
      switch exchange(&state, with: .ended) {
      case .gettingOptions: return try receiveOptions(response, &terminal)
      case .readingRecords(var reading):
        try reading.receive(response)
        return try readNext(reading, &terminal)
      case .readingCounters(var reading):
        if let bits = reading.receive(response) { return try generate(reading.card, velocity: bits, &terminal) }
        return readNextCounter(reading)
      case .generatingCryptogram(let generation): return .outcome(try conclude(response, generation, &terminal))
      case .idle, .awaitingHost, .ended: preconditionFailure("the kernel awaits no response")
      }
    } catch {
      var outcome = PaymentOutcome.endApplication(error)
      outcome.dataAuthentication = combined.result
      return .outcome(outcome)
    }
  }

  mutating func resume(_ answer: HostResponse, _ terminal: inout KernelTerminal) -> KernelStep {
    guard case .awaitingHost(let request) = exchange(&state, with: .ended) else {
      preconditionFailure("the kernel awaits no response of the host")
    }
    return .outcome(answer.outcome(of: request))
  }

  // A card that asks for a data element of this kernel with another length has wrong data.
  func checkLengths(_ list: DataObjectList, _ phase: TransactionPhase) throws(StepFailure) {
    for entry in list.entries where rules.lengths[entry.tag].map({ $0 != entry.count }) ?? false {
      throw StepFailure(phase, .length(entry.tag, count: entry.count))
    }
  }

  private mutating func receiveOptions(
    _ response: ResponseAPDU, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    guard response.status.isOK else { return rules.refused(response.status, &terminal) }
    let options = try ProcessingOptions(parsing: response.data)
    var card = CardData()
    try card.add(options.elements, .processingOptions)
    mode = try rules.mode(card.interchangeProfile(), card)
    guard let locator = options.locator else {
      throw StepFailure(.processingOptions, .missing(.applicationFileLocator))
    }
    return try readNext(RecordReading(locator.readings, into: card), &terminal)
  }

  private mutating func readNext(
    _ reading: RecordReading, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    if let command = reading.command {
      state = .readingRecords(reading)
      return .transmit(command, .readRecords)
    }
    guard mode == .emv, rules.riskManagement?.checksVelocity == true, let counters = try CounterReading(reading.card)
    else { return try generate(reading.card, velocity: [], &terminal) }
    return readNextCounter(counters)
  }

  private mutating func readNextCounter(_ reading: CounterReading) -> KernelStep {
    state = .readingCounters(reading)
    return .transmit(reading.command, .getData)
  }
}

extension KernelTerminal {
  /// Performs the checks of terminal risk management that need no command (EMV 4.4 Book 3, 10.6), and returns their bits
  /// for tag 95. The exception list counts without settings too.
  mutating func riskResults(
    _ number: PrimaryAccountNumber, _ riskManagement: RiskManagement?, _ limits: ReaderLimits
  ) -> TerminalVerificationResults {
    let entry = logged(number)
    let isExcepted = entry?.isExcepted ?? false
    guard let riskManagement else { return isExcepted ? .onExceptionList : [] }
    statusInformation.insert(.riskManagement)
    let payment = RiskManagement.CheckedPayment(
      amount: request.amount.minorUnits, lastAmount: entry?.lastAmount, isExcepted: isExcepted)
    let percentage = riskManagement.randomSelection == nil ? nil : drawPercentage()
    return riskManagement.check(payment, limits[request], number: percentage)
  }
}

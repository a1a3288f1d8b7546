internal import EMVData
internal import ISO7816
internal import Octets

// One activation of kernel 3 (EMV Contactless Book C-3 v2.11, 5.2 to 5.9): GET PROCESSING OPTIONS, the records, the
// decision, the host's response.
struct Kernel3Machine: KernelMachine {
  enum State {
    case idle
    case gettingOptions
    case readingRecords(RecordReading)
    case awaitingHost(AuthorizationRequest, isUpdatable: Bool)
    case updating(IssuerUpdate, AuthorizationRequest, HostResponse)
    case ended
  }

  let kernel: Kernel3
  let application: SelectedApplication
  var state = State.idle
  // Tag 82, for the host's response.
  var interchange = ApplicationInterchangeProfile()

  mutating func start(_ terminal: inout KernelTerminal) -> KernelStep {
    state = .gettingOptions
    return ProcessingOptions.request(for: application, from: terminal.data)
  }

  mutating func receive(_ response: ResponseAPDU, _ terminal: inout KernelTerminal) -> KernelStep {
    do throws(StepFailure) {
      switch exchange(&state, with: .ended) {
      case .gettingOptions: return try receiveOptions(response, &terminal)
      case .readingRecords(var reading):
        try reading.receive(response)
        return readNext(reading, &terminal)
      case .updating(var update, let request, let answer):
        update.receive(response, &terminal)
        return continueUpdate(update, request, answer, &terminal)
      case .idle, .awaitingHost, .ended: preconditionFailure("kernel 3 awaits no response")
      }
    } catch { return .outcome(.endApplication(error)) }
  }

  mutating func resume(_ answer: HostResponse, _ terminal: inout KernelTerminal) -> KernelStep {
    guard case .awaitingHost(let request, let isUpdatable) = exchange(&state, with: .ended) else {
      preconditionFailure("kernel 3 awaits no response of the host")
    }
    guard isUpdatable, needsCard(for: answer) else { return .outcome(answer.outcome(of: request)) }
    let update = IssuerUpdate(answer.data, interchange, hasSecondCryptogram: false)
    return continueUpdate(update, request, answer, &terminal)
  }

  func needsCard(for answer: HostResponse) -> Bool { answer.data.isForCard }

  // Issuer update processing: the issuer's verdict stands, whatever the card answers.
  private mutating func continueUpdate(
    _ update: IssuerUpdate, _ request: AuthorizationRequest, _ answer: HostResponse, _ terminal: inout KernelTerminal
  ) -> KernelStep {
    var update = update
    if case .transmit(let command, let phase) = update.next(&terminal) {
      state = .updating(update, request, answer)
      return .transmit(command, phase)
    }
    var outcome = answer.outcome(of: request)
    outcome.discretionaryData = update.discretionaryData(terminal)
    return .outcome(outcome)
  }

  // The status word decides (5.2.2.2).
  private mutating func receiveOptions(
    _ response: ResponseAPDU, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let failure = StepFailure(.processingOptions, .status(response.status))
    switch response.status {
    case .ok:
      let options = try ProcessingOptions(parsing: response.data)
      var card = CardData()
      try card.add(options.elements, .processingOptions)
      return readNext(RecordReading(options.locator?.readings ?? [], into: card), &terminal)
    case .referencedDataInvalidated:
      return .outcome(.otherInterface(terminal.qualifiers.contains(.contactChip) ? .insert : .insertOrSwipe, failure))
    case .conditionsNotSatisfied: return .selectNext(failure)
    case .commandNotAllowed: return .outcome(.seePhone(failure))
    default: throw failure
    }
  }

  private mutating func readNext(_ reading: RecordReading, _ terminal: inout KernelTerminal) -> KernelStep {
    guard let command = reading.command else { return .outcome(decide(reading.card, &terminal)) }
    state = .readingRecords(reading)
    return .transmit(command, .readRecords)
  }

  // 5.4 to 5.9.
  private mutating func decide(_ card: CardData, _ terminal: inout KernelTerminal) -> PaymentOutcome {
    let facts: Kernel3CardData
    do throws(StepFailure) {
      facts = try Kernel3CardData(card, kernel.rules)
    } catch { return .endApplication(error) }
    var decision = Kernel3Decision(
      application: application, kernel: kernel, facts: facts, card: card, terminal: terminal)
    defer { terminal = decision.terminal }
    var outcome: PaymentOutcome
    do throws(StepFailure) {
      outcome = try self.outcome(of: decision.direction(), facts, card, terminal)
    } catch { outcome = .declined(AuthorizationRequest(kernel3: facts, card, terminal, .none), error) }
    outcome.dataAuthentication = decision.authentication
    return outcome
  }

  private mutating func outcome(
    of direction: Kernel3Decision.Direction, _ facts: Kernel3CardData, _ card: CardData, _ terminal: KernelTerminal
  ) throws(StepFailure) -> PaymentOutcome {
    if case .otherInterface(let failure) = direction {
      return .otherInterface(terminal.qualifiers.contains(.contactChip) ? .insert : .insertOrSwipe, failure)
    }
    let method = try Kernel3Verification.decide(
      reader: terminal.qualifiers, card: facts.qualifiers, relatedData: facts.relatedData,
      cryptogram: facts.cryptogramType)
    let request = AuthorizationRequest(kernel3: facts, card, terminal, method)
    // Only the host can check an online PIN.
    if case .approve = direction, method != .onlinePIN {
      var outcome = PaymentOutcome.approved(request)
      // The offline amount that is left is for the cardholder (5.9).
      let shown = kernel.rules.showsSpendingAmount ? [Tag.availableOfflineSpendingAmount] : []
      outcome.discretionaryData = shown.compactMap { tag in card.value(tag).map { TLVNode(tag, $0) } }
      return outcome
    }
    if terminal.qualifiers.contains(.offlineOnly) { throw StepFailure(.decision, .onlineNotPossible) }
    // A second presentment, where reader and card both take it (tag 9F66 byte 3 bit 8, tag 9F6C byte 2 bit 7).
    let isUpdatable =
      terminal.qualifiers.contains(.issuerUpdate) && facts.qualifiers?.contains(.issuerUpdate) == true
    state = .awaitingHost(request, isUpdatable: isUpdatable)
    interchange = ApplicationInterchangeProfile(octets: card.value(.applicationInterchangeProfile) ?? []) ?? []
    var outcome = PaymentOutcome.onlineRequest(request)
    if isUpdatable { outcome.onlineResponse = .twoPresentments }
    return outcome
  }
}

extension KernelTerminal {
  // Tag 9F66 as it went to the card.
  var qualifiers: TerminalTransactionQualifiers {
    data[.terminalTransactionQualifiers].flatMap { TerminalTransactionQualifiers(octets: $0) } ?? []
  }
}

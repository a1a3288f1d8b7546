internal import EMVData
internal import ISO7816
internal import Octets

// The steps of Entry Point (EMV Contactless Book B v2.11, 3.3): select the directory, select an application, activate
// its kernel, and follow the kernel's steps.
extension TerminalTransaction {
  mutating func selectDirectory() -> Step {
    let prepared = preparedCombinations()
    // 3.1.1.13: no combination takes the amount without contact.
    guard !prepared.isEmpty else {
      let failure = failures.last ?? StepFailure(.preprocessing, .transactionType(request.type))
      state = .ended
      var outcome = PaymentOutcome.otherInterface(.insertOrSwipe, failure)
      outcome.language = language
      return .outcome(outcome)
    }
    return transmit(
      .select(name: FileControlInformation.ppseName), .selectDirectory, then: .selectingDirectory(prepared))
  }

  // 3.1.1; autorun begins with start B, without pre-processing.
  private mutating func preparedCombinations() -> [PreparedCombination] {
    guard !configuration.isAutorun else {
      return configuration.combinations.compactMap { PreparedCombination(withoutPreprocessing: $0, for: request) }
    }
    var prepared: [PreparedCombination] = []
    for combination in configuration.combinations {
      do throws(StepFailure) {
        prepared.append(try PreparedCombination(combination, for: request))
      } catch { failures.append(error) }
    }
    return prepared
  }

  mutating func receiveDirectory(_ response: ResponseAPDU, _ combinations: [PreparedCombination]) -> Step {
    do throws(StepFailure) {
      let directory = try SelectedApplication.directory(response)
      let list = CandidateList(directory: directory, combinations: combinations, all: configuration.combinations)
      rejected += list.skipped
      return selectNext(list)
    } catch { return .outcome(end(.endApplication(error))) }
  }

  mutating func receiveApplication(
    _ response: ResponseAPDU, _ candidate: Candidate, _ others: CandidateList
  ) -> Step {
    do throws(StepFailure) {
      return activate(try SelectedApplication(candidate, response: response), candidate, others)
    } catch {
      // 3.3.3.5 and 3.3.3.6: this candidate is out, the next one follows.
      return selectNext(others, after: error, of: candidate)
    }
  }

  mutating func activate(
    _ application: SelectedApplication, _ candidate: Candidate, _ others: CandidateList
  ) -> Step {
    self.application = application
    let combination = candidate.combination.combination
    var activation = Activation(
      machine: combination.kernel.activate(application),
      terminal: KernelTerminal(
        request: request, data: data(for: application, candidate),
        memory: memories[combination.identifier] ?? KernelMemory(), authorities: configuration.authorities, log: log,
        findings: findings, random: random),
      candidate: candidate, others: others)
    let step = activation.machine.start(&activation.terminal)
    return follow(step, activation)
  }

  // The terminal's data elements for one activation.
  private func data(for application: SelectedApplication, _ candidate: Candidate) -> TerminalData {
    var data = configuration.terminalData
    data.merge(TerminalData(request))
    data[.unpredictableNumber] = unpredictableNumber
    // The terminal's AID takes the name of the application that was selected (EMV 4.4 Book 1, 12.4).
    data[.applicationIdentifier] = application.name
    data.merge(candidate.combination.data)
    return data
  }

  // The card was presented a second time for the host's response.
  mutating func receiveUpdated(
    _ response: ResponseAPDU, _ activation: Activation, _ answer: HostResponse
  ) -> Step {
    do throws(StepFailure) {
      application = try SelectedApplication(activation.candidate, response: response)
    } catch { return .outcome(end(.endApplication(error))) }
    var activation = activation
    activation.beforeUpdate = (activation.machine, activation.terminal)
    return resume(activation, answer)
  }

  // The card left before it had the whole of the host's response: it is presented again, and the kernel begins anew.
  mutating func loseCardInUpdate(_ activation: Activation) -> PaymentOutcome {
    guard let before = activation.beforeUpdate, let answer = activation.answer else {
      preconditionFailure("an update has the machine before it and the host's response")
    }
    let failure = StepFailure(activation.terminal.phase, .linkLost)
    var restored = activation
    (restored.machine, restored.terminal) = before
    restored.terminal.findings = findings
    restored.beforeUpdate = nil
    state = .awaitingUpdate(restored, answer)
    return note(.presentAgainForUpdate(failure))
  }

  mutating func resume(_ activation: Activation, _ answer: HostResponse) -> Step {
    var activation = activation
    state = .ended
    activation.answer = answer
    let step = activation.machine.resume(answer, &activation.terminal)
    return follow(step, activation)
  }

  // Start C: an application that could not be selected, or the outcome Select Next of a kernel.
  mutating func selectNext(
    _ candidates: CandidateList, after failure: StepFailure, of candidate: Candidate
  ) -> Step {
    failures.append(failure)
    rejected.append(RejectedApplication(name: candidate.selectedName, failure: failure))
    if !candidates.candidates.isEmpty { nextApplicationCount += 1 }
    return selectNext(candidates)
  }

  // 3.3.3.1 and 3.3.3.4; with no candidate left, 3.3.2.7.
  mutating func selectNext(_ candidates: CandidateList) -> Step {
    var candidates = candidates
    guard let candidate = candidates.next() else {
      return .outcome(end(.endApplication(StepFailure(.selectApplication, .noCandidate))))
    }
    return transmit(
      .select(name: candidate.selectedName), .selectApplication,
      then: .selectingApplication(candidate, others: candidates))
  }

  // Performs a kernel's step.
  mutating func follow(_ step: KernelStep, _ activation: Activation) -> Step {
    keepMemory(of: activation)
    findings = activation.terminal.findings
    if let number = activation.terminal.data[.unpredictableNumber] { unpredictableNumber = number }
    switch step {
    case .transmit(let command, let phase):
      var activation = activation
      activation.terminal.phase = phase
      return transmit(command, phase, then: .running(activation))
    case .selectNext(let failure): return selectNext(activation.others, after: failure, of: activation.candidate)
    case .outcome(var outcome):
      var activation = activation
      activation.authentication = outcome.dataAuthentication ?? activation.authentication
      outcome.dataAuthentication = activation.authentication
      outcome.apply(activation.candidate.combination.combination.outcomes)
      guard outcome.kind == .onlineRequest, activation.answer == nil else { return .outcome(end(outcome)) }
      outcome = note(outcome)
      activation.onlineRequest = outcome
      state = .awaitingHost(activation, outcome)
      return .outcome(outcome)
    }
  }

  mutating func keepMemory(of activation: Activation) {
    memories[activation.candidate.combination.combination.identifier] = activation.terminal.memory
  }

  mutating func transmit(_ command: CommandAPDU, _ phase: TransactionPhase, then next: State) -> Step {
    commandCount += 1
    state = next
    return .transmit(command, phase)
  }

  // Adds what Entry Point knows of the tap, and keeps the failure.
  mutating func note(_ outcome: PaymentOutcome) -> PaymentOutcome {
    var outcome = outcome
    outcome.rejectedApplications = rejected
    outcome.language = language
    outcome.restartRequest?.language = language
    if let failure = outcome.failure { failures.append(failure) }
    return outcome
  }

  /// The language of the messages: the cardholder's, once an application with tag 5F2D is selected, where the terminal has
  /// it; else the terminal's own.
  public var language: CardholderLanguage {
    CardholderLanguage.choose(card: application?.languages ?? [], terminal: configuration.languages)
  }

  mutating func end(_ outcome: PaymentOutcome) -> PaymentOutcome {
    state = outcome.restart == nil ? .ended : .awaitingRestart
    return note(outcome)
  }
}

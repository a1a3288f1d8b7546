internal import EMVData
internal import ISO7816

// EMV mode, from the last record to the outcome (EMV 4.4 Book 3, 10.4 to 10.8).
extension Kernel2Machine {
  // velocity: the bits that the counters of the card set in tag 95.
  mutating func generateCryptogram(
    _ card: CardData, velocity: TerminalVerificationResults, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let facts = try ChipCardData(card)
    let choice = try verification(facts, terminal)
    var results = terminal.verificationResults
    let certificate = try signingCard(facts, card, &results, &terminal)
    results.insert(ChipRestrictions.check(facts, terminal))
    results.insert(choice.verificationResults)
    if kernel.isAboveFloorLimit(terminal.request) { results.insert(.exceedsFloorLimit) }
    results.formUnion(velocity)
    results.formUnion(terminal.riskResults(facts.accountNumber, kernel.riskManagement, kernel.limits))
    terminal.verificationResults = results
    terminal.data[.cvmResults] = choice.results
    let asked = TerminalActionAnalysis.decide(
      results, terminal: settings.actionCodes, issuer: facts.actionCodes,
      terminalType: terminal.data[.terminalType]?.first ?? 0, canApprove: certificate != nil)
    let data = terminal.data
    // Tags 9F45 and 9F4C do not exist before the signature: the list gets zeros, as in recordings. An AAC is never signed.
    let command = try CommandAPDU.generateCryptogram(
      asked, isSigned: certificate != nil && asked != .aac, facts.cdol1.values(from: TapValues(data, card)))
    return try sendOrRecover(
      Generation(card: card, command: command, certificate: certificate, choice: choice, asked: asked), &terminal)
  }

  private func verification(
    _ facts: ChipCardData, _ terminal: KernelTerminal
  ) throws(StepFailure) -> CVMListProcessing.Choice {
    let request = terminal.request
    let isRequired = kernel.isVerificationRequired(request)
    if kernel.verifiesOnDevice(facts.profile) { return CVMListProcessing.onDevice(isRequired: isRequired) }
    guard facts.profile.contains(.cardholderVerification) else { return CVMListProcessing.notSupported }
    let context = CVMListProcessing.Context(facts, terminal, capability: settings.cvmCapability(isRequired))
    return CVMListProcessing.choose(facts.cvmList, context)
  }

  // Nil without CDA, and when data of the card are missing or wrong, which bits of tag 95 state.
  private mutating func signingCard(
    _ facts: ChipCardData, _ card: CardData, _ results: inout TerminalVerificationResults,
    _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> CombinedAuthentication.SigningCard? {
    guard facts.profile.contains(.cda), settings.security & CombinedAuthentication.capability != 0 else { return nil }
    return try combined.prepare(facts, card, name: application.name, &results, &terminal)
  }

  mutating func receiveCryptogram(
    _ response: ResponseAPDU, _ generation: Generation, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    var card = generation.card
    let type = try combined.receive(
      response, to: generation.command, asked: generation.asked, of: generation.certificate, &card, &terminal)
    // A phone that needs its holder comes before the type of the cryptogram.
    if let outcome = try holderOutcome(card, .generateCryptogram) { return .outcome(outcome) }
    if type == .aac || generation.certificate == nil { try rewriteTrack2(&card) }
    let request = try AuthorizationRequest(
      kernel2: card, terminal, name: application.name, type, generation.choice.method)
    switch type {
    case .arqc: return awaitHost(request, try heldCard(card, generation))
    case .tc:
      var outcome = PaymentOutcome.approved(request)
      outcome.dataAuthentication = combined.result
      return .outcome(outcome)
    case .aac:
      let code: StepFailure.Code = generation.asked == .aac ? .deniedByActionCodes : .declinedByCard
      return .outcome(refused(request, card, StepFailure(.generateCryptogram, code)))
    }
  }
}

// Terminal risk management between the last record and the cryptogram (EMV 4.4 Book 3, 10.6).
extension Kernel2Machine {
  // Reads the counters where the profile asks for the velocity check and the card has both limits (10.6.3).
  mutating func manageRisk(_ card: CardData, _ terminal: inout KernelTerminal) throws(StepFailure) -> KernelStep {
    guard kernel.riskManagement?.checksVelocity == true, let reading = try CounterReading(card) else {
      return try generateCryptogram(card, velocity: [], &terminal)
    }
    state = .readingCounters(reading)
    return .transmit(reading.command, .getData)
  }

  mutating func receiveCounter(
    _ response: ResponseAPDU, _ reading: CounterReading, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    var reading = reading
    if let bits = reading.receive(response) { return try generateCryptogram(reading.card, velocity: bits, &terminal) }
    state = .readingCounters(reading)
    return .transmit(reading.command, .getData)
  }
}

extension CVMListProcessing {
  /// The choice of kernel 2 in EMV mode for a device that verifies its holder. That such a device needs no list, and the
  /// results `010002` above the CVM required limit and `3F0002` up to it, are from open terminals; `010002` with AIP 1B80
  /// is confirmed by a public recording of a phone's payment.
  public static func onDevice(isRequired: Bool) -> Choice {
    isRequired ? Choice(.consumerDevice, [0x01, 0x00, 0x02]) : Choice(.none, [0x3F, 0x00, 0x02])
  }
}

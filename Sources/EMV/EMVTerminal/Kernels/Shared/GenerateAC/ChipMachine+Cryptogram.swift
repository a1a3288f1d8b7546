internal import EMVData
internal import ISO7816

// From the last record to the outcome (EMV 4.4 Book 3, 10.3 to 10.8).
extension ChipMachine {
  // velocity: the bits that the counters of the card set in tag 95.
  mutating func generate(
    _ card: CardData, velocity: TerminalVerificationResults, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let facts = try ChipCardData(card)
    try checkLengths(facts.cdol1, .decision)
    let verification = try rules.verification(facts, card, mode, terminal)
    var results = TerminalVerificationResults.dataAuthenticationNotPerformed
    let certificate = try signingCard(facts, card, &results, &terminal)
    results.insert(ChipRestrictions.check(facts, terminal))
    results.insert(verification.choice.verificationResults)
    if rules.limits.isFloorExceeded(by: terminal.request) { results.insert(.exceedsFloorLimit) }
    results.formUnion(velocity)
    results.formUnion(terminal.riskResults(facts.accountNumber, rules.riskManagement, rules.limits))
    if !rules.heedsExceptionList { results.remove(.onExceptionList) }
    terminal.verificationResults = results
    terminal.data[.cvmResults] = verification.choice.results
    let asked = verification.denial == nil ? asked(results, facts, verification, certificate != nil, terminal) : .aac
    if mode == .magStripe { rules.prepareMagStripe(&terminal) }
    let command = try CommandAPDU.generateCryptogram(
      asked, isSigned: certificate != nil && asked != .aac,
      facts.cdol1.values(from: TapValues(terminal.data, card)))
    state = .generatingCryptogram(
      Generation(
        card: card, command: command, certificate: certificate, choice: verification.choice,
        denial: verification.denial, asked: asked))
    return .transmit(command, .generateCryptogram)
  }

  // Nil without CDA, and when data of the card are missing or wrong, which bits of tag 95 state.
  private mutating func signingCard(
    _ facts: ChipCardData, _ card: CardData, _ results: inout TerminalVerificationResults,
    _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> CombinedAuthentication.SigningCard? {
    // Byte 3 of tag 9F33.
    let capabilities = terminal.data[.terminalCapabilities]?.last ?? 0
    guard mode == .emv, facts.profile.contains(.cda), rules.authenticates,
      capabilities & CombinedAuthentication.capability != 0
    else { return nil }
    return try combined.prepare(facts, card, name: application.name, &results, &terminal)
  }

  // Action analysis. The host decides in mag-stripe mode.
  private func asked(
    _ results: TerminalVerificationResults, _ facts: ChipCardData, _ verification: ChipVerification,
    _ canApprove: Bool, _ terminal: KernelTerminal
  ) -> CryptogramType {
    if mode == .magStripe { return .arqc }
    let asked = TerminalActionAnalysis.decide(
      results, terminal: rules.actionCodes, issuer: facts.actionCodes,
      terminalType: rules.isOfflineOnly ? terminalType & 0xF0 | 0x03 : terminalType, canApprove: canApprove)
    // The response to GET PROCESSING OPTIONS reports the verification on the device, and CDA does not cover that response.
    let isUnproved =
      verification.choice.method == .consumerDevice && rules.limits.isVerificationRequired(for: terminal.request)
    return asked == .tc && (isUnproved || rules.needsHost(terminal)) ? .arqc : asked
  }

  mutating func conclude(
    _ response: ResponseAPDU, _ generation: Generation, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> PaymentOutcome {
    var card = generation.card
    let type = try combined.receive(
      response, to: generation.command, asked: generation.asked, of: generation.certificate, &card, &terminal)
    var outcome = try outcome(type, generation, card, terminal)
    outcome.dataAuthentication = combined.result
    return outcome
  }

  private mutating func outcome(
    _ type: CryptogramType, _ generation: Generation, _ card: CardData, _ terminal: KernelTerminal
  ) throws(StepFailure) -> PaymentOutcome {
    let method = generation.choice.method
    // The host gets the type of the terminal as the profile has it.
    var host = terminal
    host.data[.terminalType] = [terminalType]
    // 91: contactless, magnetic stripe data (ISO 8583:1987, field 22, as acquirers list it).
    if mode == .magStripe { host.data[.pointOfServiceEntryMode] = [0x91] }
    let request = try AuthorizationRequest(
      chip: card, host, name: application.name, type, method, further: rules.furtherElements)
    if type == .aac {
      let code = generation.denial ?? (generation.asked == .aac ? .deniedByActionCodes : .declinedByCard)
      return rules.declined(request, StepFailure(.generateCryptogram, code), card, terminal)
    }
    // Only the host can check an online PIN.
    if type == .tc, method != .onlinePIN {
      var outcome = PaymentOutcome.approved(request)
      outcome.discretionaryData = rules.shownElements.compactMap { tag in card.value(tag).map { TLVNode(tag, $0) } }
      return outcome
    }
    if rules.isOfflineOnly {
      return rules.declined(request, StepFailure(.generateCryptogram, .onlineNotPossible), card, terminal)
    }
    state = .awaitingHost(request)
    return .onlineRequest(request)
  }
}

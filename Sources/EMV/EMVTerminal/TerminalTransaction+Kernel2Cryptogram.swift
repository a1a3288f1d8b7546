internal import EMVData
internal import ISO7816

// Kernel 2 in EMV mode, from the last record to the outcome (EMV 4.4 Book 3, 10.4 to 10.8).
extension TerminalTransaction {
  mutating func generateCryptogram(_ card: CardData, _ initiation: Initiation) -> Step {
    do throws(StepFailure) {
      return try askCryptogram(Kernel2Facts(card), card, initiation)
    } catch { return fail(error) }
  }

  private mutating func askCryptogram(
    _ facts: Kernel2Facts, _ card: CardData, _ initiation: Initiation
  ) throws(StepFailure) -> Step {
    guard let settings = initiation.kernel2 else { preconditionFailure("kernel 2 runs with its settings") }
    var initiation = initiation
    let choice = try verification(facts, initiation, settings)
    var results = initiation.terminal.verificationResults
    results.insert(Kernel2Restrictions.check(facts, initiation.terminal, request))
    results.insert(choice.verificationResults)
    if isAboveFloorLimit(initiation) { results.insert(.aboveFloorLimit) }
    initiation.terminal.verificationResults = results
    initiation.terminal.set(.cvmResults, choice.results)
    let asked = TerminalActionAnalysis.decide(
      results, terminal: settings.actionCodes, issuerDenial: facts.issuerDenial)
    let terminal = initiation.terminal
    // A terminal without offline data authentication has neither tag 9F45 nor tag 9F4C: they are zeros, as recorded.
    let command = try CommandAPDU.generateCryptogram(asked, facts.cdol1.values { terminal.value($0) ?? card.value($0) })
    return transmit(
      command, .generateCryptogram,
      then: .generatingCryptogram(Generation(initiation: initiation, card: card, choice: choice, asked: asked)))
  }

  private func verification(
    _ facts: Kernel2Facts, _ initiation: Initiation, _ settings: Kernel2Configuration
  ) throws(StepFailure) -> VerificationMethodList.Choice {
    let isRequired = initiation.application.candidate.combination.isVerificationRequired
    if Kernel2.verifiesOnDevice(facts.profile, settings.options) {
      return VerificationMethodList.onDevice(isRequired: isRequired)
    }
    // AIP byte 1 bit 5.
    guard facts.profile.isSet(octet: 1, bit: 5) else { return VerificationMethodList.notSupported }
    let terminalType = initiation.terminal.value(.terminalType)?.first ?? 0
    let context = VerificationMethodList.Context(
      amount: request.amount.minorUnits, isApplicationCurrency: facts.currency == request.currency.octets,
      type: request.type, hasCashback: request.amountOther?.minorUnits ?? 0 > 0,
      isUnattended: (4...6).contains(terminalType & 0x0F), capability: settings.cvmCapability(isRequired))
    guard let choice = VerificationMethodList.choose(facts.cvmList, context) else {
      throw StepFailure(.decision, .malformed("tag 8E is no list of cardholder verification methods"))
    }
    return choice
  }

  // Tag DF8123.
  private func isAboveFloorLimit(_ initiation: Initiation) -> Bool {
    let combination = initiation.application.candidate.combination.combination
    guard let floor = combination.limits[request.currency.numericCode]?.floor else { return false }
    return request.amount.minorUnits > floor
  }

  mutating func receiveCryptogram(_ response: ResponseAPDU, _ generation: Generation) -> Step {
    do throws(StepFailure) {
      var card = generation.card
      try card.add(GeneratedCryptogram.elements(response), .generateCryptogram)
      return try conclude(card, generation)
    } catch { return fail(error) }
  }

  private mutating func conclude(_ card: CardData, _ generation: Generation) throws(StepFailure) -> Step {
    let type = try GeneratedCryptogram.type(card, asked: generation.asked)
    // The phone's holder comes first, whatever the cryptogram.
    if try needsHolder(card, .generateCryptogram) {
      let failure = StepFailure(.generateCryptogram, .holderNeeded)
      failures.append(failure)
      return end(.seePhone(failure))
    }
    let decision = KernelDecision(
      verification: generation.choice.method,
      authorizationRequest: try AuthorizationRequest(kernel2: card, generation, type, request))
    guard type == .aac else { return awaitHost(decision) }
    let failure = StepFailure(
      .generateCryptogram, generation.asked == .aac ? .deniedByActionCodes : .declinedByCard)
    failures.append(failure)
    return end(.declined(decision, failure))
  }

  // Tag DF4B.
  func needsHolder(_ card: CardData, _ phase: TransactionPhase) throws(StepFailure) -> Bool {
    guard let octets = try Kernel2.optional(.cardholderInteraction, 3...3, card, phase) else { return false }
    return POSCardholderInteractionInformation(octets: octets)?.needsHolder == true
  }
}

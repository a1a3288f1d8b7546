internal import EMVData
internal import ISO7816

// EMV mode, from the last record to the outcome (EMV 4.4 Book 3, 10.4 to 10.8).
extension Kernel2Machine {
  mutating func generateCryptogram(
    _ card: CardData, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let facts = try Kernel2CardData(card)
    let choice = try verification(facts, terminal)
    var results = terminal.verificationResults
    results.insert(Kernel2Restrictions.check(facts, terminal))
    results.insert(choice.verificationResults)
    if kernel.isAboveFloorLimit(terminal.request) { results.insert(.exceedsFloorLimit) }
    terminal.verificationResults = results
    terminal.data[.cvmResults] = choice.results
    let asked = TerminalActionAnalysis.decide(
      results, terminal: settings.actionCodes, issuerDenial: facts.issuerDenial)
    let data = terminal.data
    // Without offline data authentication tags 9F45 and 9F4C do not exist: the list gets zeros, as in recordings.
    let command = try CommandAPDU.generateCryptogram(asked, facts.cdol1.values(from: TapValues(data, card)))
    state = .generatingCryptogram(Generation(card: card, choice: choice, asked: asked))
    return .transmit(command, .generateCryptogram)
  }

  private func verification(
    _ facts: Kernel2CardData, _ terminal: KernelTerminal
  ) throws(StepFailure) -> Kernel2Verification.Choice {
    let request = terminal.request
    let isRequired = kernel.isVerificationRequired(request)
    if kernel.verifiesOnDevice(facts.profile) { return Kernel2Verification.onDevice(isRequired: isRequired) }
    guard facts.profile.contains(.cardholderVerification) else { return Kernel2Verification.notSupported }
    let terminalType = terminal.data[.terminalType]?.first ?? 0
    let context = Kernel2Verification.Context(
      amount: request.amount.minorUnits, isApplicationCurrency: facts.currency == request.currency.octets,
      type: request.type, hasCashback: request.amountOther?.minorUnits ?? 0 > 0,
      isUnattended: (4...6).contains(terminalType & 0x0F), capability: settings.cvmCapability(isRequired))
    return Kernel2Verification.choose(facts.cvmList, context)
  }

  mutating func receiveCryptogram(
    _ response: ResponseAPDU, _ generation: Generation, _ terminal: KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    var card = generation.card
    try card.add(GeneratedCryptogram.elements(response), .generateCryptogram)
    let type = try GeneratedCryptogram.type(card, asked: generation.asked)
    // A phone that needs its holder comes before the type of the cryptogram.
    if try card.needsHolder(.generateCryptogram) {
      return .outcome(.seePhone(StepFailure(.generateCryptogram, .holderNeeded)))
    }
    let request = try AuthorizationRequest(
      kernel2: card, terminal, name: application.name, type, generation.choice.method)
    guard type == .aac else { return awaitHost(request) }
    let code: StepFailure.Code = generation.asked == .aac ? .deniedByActionCodes : .declinedByCard
    return .outcome(.declined(request, StepFailure(.generateCryptogram, code)))
  }
}

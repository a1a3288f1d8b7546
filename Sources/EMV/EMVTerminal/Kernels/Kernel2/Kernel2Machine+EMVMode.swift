internal import EMVCryptography
internal import EMVData
internal import ISO7816

// EMV mode, from the last record to the outcome (EMV 4.4 Book 3, 10.4 to 10.8).
extension Kernel2Machine {
  // A card that is asked for a signature.
  enum SigningCard {
    case certified(CardCertificate)
    // A recorded card with zeros in place of its certificate: the signature cannot be judged.
    case redacted
  }

  // velocity: the bits that the counters of the card set in tag 95.
  mutating func generateCryptogram(
    _ card: CardData, velocity: TerminalVerificationResults, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let facts = try Kernel2CardData(card)
    let choice = try verification(facts, terminal)
    var results = terminal.verificationResults
    let certificate = try signingCard(facts, card, &results, &terminal)
    results.insert(Kernel2Restrictions.check(facts, terminal))
    results.insert(choice.verificationResults)
    if kernel.isAboveFloorLimit(terminal.request) { results.insert(.exceedsFloorLimit) }
    results.formUnion(velocity)
    results.formUnion(riskResults(facts.accountNumber, &terminal))
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

  // CDA, as far as it is known before the cryptogram (EMV 4.4 Book 2, 6.6; open terminals agree). Nil without
  // CDA, and when data of the card are missing or wrong, which bits of tag 95 state.
  private mutating func signingCard(
    _ facts: Kernel2CardData, _ card: CardData, _ results: inout TerminalVerificationResults,
    _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> SigningCard? {
    guard facts.profile.contains(.cda), settings.security & Kernel2Configuration.combinedAuthentication != 0 else {
      return nil
    }
    results.remove(.dataAuthenticationNotPerformed)
    let authentication = CardAuthentication(
      card, accountNumber: facts.accountNumber, name: application.name, terminal)
    do throws(AuthenticationFailure) {
      let isRedacted = authentication.isRedacted
      let certificate = try terminal.judge(isRedacted: isRedacted) { (_) throws(AuthenticationFailure) in
        _ = try authentication.value(.staticDataTagList)
        return try authentication.certificate()
      }
      return certificate.map(SigningCard.certified) ?? .redacted
    } catch {
      self.authentication = .failed(error)
      // Another tag list than 82, and a signed record that is no template 70, end the application.
      if error == .staticData { throw StepFailure(.decision, .dataAuthentication(error)) }
      results.insert(.cdaFailed)
      if case .missing = error { results.insert(.cardDataMissing) }
      return nil
    }
  }

  mutating func receiveCryptogram(
    _ response: ResponseAPDU, _ generation: Generation, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    var card = generation.card
    let elements = try GeneratedCryptogram.elements(response)
    try card.add(elements, .generateCryptogram)
    let type = try GeneratedCryptogram.type(card, asked: generation.asked)
    if type != .aac, let certificate = generation.certificate {
      let cryptogram = try signedCryptogram(elements, certificate, generation.command.data, &terminal)
      try card.add([TLVNode(.applicationCryptogram, cryptogram)], .generateCryptogram)
    }
    try GeneratedCryptogram.checkData(card)
    // A phone that needs its holder comes before the type of the cryptogram.
    if let outcome = try holderOutcome(card, .generateCryptogram) { return .outcome(outcome) }
    if type == .aac || generation.certificate == nil { try rewriteTrack2(&card) }
    let request = try AuthorizationRequest(
      kernel2: card, terminal, name: application.name, type, generation.choice.method)
    switch type {
    case .arqc: return awaitHost(request, try heldCard(card, generation))
    case .tc:
      var outcome = PaymentOutcome.approved(request)
      outcome.dataAuthentication = authentication
      return .outcome(outcome)
    case .aac:
      let code: StepFailure.Code = generation.asked == .aac ? .deniedByActionCodes : .declinedByCard
      return .outcome(refused(request, card, StepFailure(.generateCryptogram, code)))
    }
  }

  // Checks the signature of a response and returns the cryptogram in it: one exponentiation. A failure ends the application.
  // The cryptogram in a signature that cannot be judged is not known: eight zeros.
  //
  // riskManagement: the values of CDOL1, and for the second cryptogram those of CDOL2 behind them.
  mutating func signedCryptogram(
    _ elements: [TLVNode], _ card: SigningCard, _ riskManagement: [UInt8],
    _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> [UInt8] {
    let signature = elements.first { $0.tag == .signedDynamicData }
    guard let signature else { throw StepFailure(.generateCryptogram, .missing(.signedDynamicData)) }
    let isRedacted = if case .redacted = card { true } else { false }
    do throws(AuthenticationFailure) {
      let options = optionsValues
      let cryptogram = try terminal.judge(isRedacted: isRedacted) {
        [relayData] (terminal) throws(AuthenticationFailure) in
        guard case .certified(let certificate) = card else { throw .missing(0x9F46) }
        let signed = try SignedDynamicData(
          signature.value, card: certificate, terminalData: terminal.data[.unpredictableNumber] ?? [])
        let others = elements.filter { $0.tag != .signedDynamicData }
        return try CombinedData(
          signed, cryptogramInformation: elements.first { $0.tag == .cryptogramInformationData }?.value.first ?? 0,
          transactionData: CombinedData.transactionData(
            options: options, riskManagement: riskManagement, response: others.encoded),
          relayData: relayData
        ).cryptogram
      }
      authentication = .passed
      return cryptogram ?? [UInt8](repeating: 0, count: 8)
    } catch {
      authentication = .failed(error)
      throw StepFailure(.generateCryptogram, .dataAuthentication(error))
    }
  }
}

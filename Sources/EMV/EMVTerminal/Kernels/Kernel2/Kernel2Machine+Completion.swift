internal import EMVData
internal import ISO7816

// After the host's response, for a card that stays in the field (EMV 4.4 Book 3, 10.9 to 10.11).
extension Kernel2Machine {
  // What the kernel keeps of the first cryptogram.
  struct HeldCard {
    let card: CardData
    let generation: Generation
    // Tag 8D.
    let list: DataObjectList
  }

  struct Completion {
    let held: HeldCard
    let answer: HostResponse
    var update: IssuerUpdate
    // The outcome; nil before the second cryptogram.
    var decided: PaymentOutcome?
    let request: AuthorizationRequest

    init(_ held: HeldCard, _ request: AuthorizationRequest, _ answer: HostResponse) throws(StepFailure) {
      self.held = held
      self.answer = answer
      self.request = request
      update = IssuerUpdate(answer.data, try held.card.interchangeProfile(), hasSecondCryptogram: true)
    }

    // The outcome when nothing more is sent; nil before the second cryptogram.
    func outcome(_ terminal: inout KernelTerminal) -> PaymentOutcome? {
      guard var outcome = decided else { return nil }
      var update = update
      update.abandon(&terminal)
      outcome.discretionaryData = update.discretionaryData(terminal)
      return outcome
    }
  }

  // The card that stays in the field; nil without CDOL2, and when the terminal does not ask for a second cryptogram.
  func heldCard(_ card: CardData, _ generation: Generation) throws(StepFailure) -> HeldCard? {
    guard settings.secondCryptogram, let octets = try card.optional(.cdol2, 1...252, .generateCryptogram) else {
      return nil
    }
    let list = try DataObjectList(octets, of: .cdol2, .generateCryptogram)
    return HeldCard(card: card, generation: generation, list: list)
  }

  mutating func complete(_ completion: Completion, _ terminal: inout KernelTerminal) throws(StepFailure) -> KernelStep {
    var completion = completion
    switch completion.update.next(&terminal) {
    case .transmit(let command, let phase):
      state = .completing(completion)
      return .transmit(command, phase)
    case .secondCryptogram: return try askForSecondCryptogram(completion, &terminal)
    case .done:
      guard let outcome = completion.outcome(&terminal) else {
        preconditionFailure("the second cryptogram comes before the end")
      }
      return .outcome(outcome)
    }
  }

  private mutating func askForSecondCryptogram(
    _ completion: Completion, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let isApproved = completion.answer.verdict == .approved
    let data = completion.answer.data
    // "00" approves, "05" declines (ISO 8583), for a host that gives a verdict alone.
    terminal.data[.authorisationResponseCode] = data.responseCode ?? (isApproved ? [0x30, 0x30] : [0x30, 0x35])
    terminal.data[.issuerAuthenticationData] = data.authenticationData
    let asked: CryptogramType = isApproved ? .tc : .aac
    let held = completion.held
    let command = try CommandAPDU.generateCryptogram(
      asked, isSigned: held.generation.certificate != nil && asked != .aac,
      held.list.values(from: TapValues(terminal.data, held.card)))
    state = .generatingSecondCryptogram(completion, command, asked: asked)
    return .transmit(command, .secondCryptogram)
  }

  // The card answers with what was asked for, or declines.
  mutating func receiveSecondCryptogram(
    _ response: ResponseAPDU, _ completion: Completion, _ command: CommandAPDU, _ asked: CryptogramType,
    _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let held = completion.held
    var card = held.card
    let elements = try GeneratedCryptogram.elements(response)
    try card.replace(elements, .secondCryptogram)
    let type = try GeneratedCryptogram.type(card, asked: asked)
    guard type != .arqc else { throw StepFailure(.secondCryptogram, .cryptogramNotAsked) }
    if type == .tc, let certificate = held.generation.certificate {
      let cryptogram = try combined.cryptogram(
        in: elements, of: certificate, riskManagement: held.generation.command.data + command.data, &terminal)
      try card.replace([TLVNode(.applicationCryptogram, cryptogram)], .secondCryptogram)
    }
    try GeneratedCryptogram.checkData(card)
    var completion = completion
    completion.decided = try outcome(type, card, completion, terminal)
    return try complete(completion, &terminal)
  }

  private func outcome(
    _ type: CryptogramType, _ card: CardData, _ completion: Completion, _ terminal: KernelTerminal
  ) throws(StepFailure) -> PaymentOutcome {
    let request = try AuthorizationRequest(
      kernel2: card, terminal, name: application.name, type, completion.held.generation.choice.method)
    let isApproved = completion.answer.verdict == .approved
    var outcome: PaymentOutcome =
      switch (type, isApproved) {
      case (.tc, _): .approved(request)
      case (_, true): .declined(request, StepFailure(.secondCryptogram, .declinedByCard))
      case (_, false): .declined(request, StepFailure(.authorization, .declinedByHost))
      }
    outcome.dataAuthentication = combined.result
    return outcome
  }
}

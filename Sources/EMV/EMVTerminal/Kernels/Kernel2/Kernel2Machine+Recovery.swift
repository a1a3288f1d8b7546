internal import EMVData
internal import ISO7816

// RECOVER AC: the cryptogram of a card that left while it made it. Older kernels have it; what open terminals and cards agree on.
extension Kernel2Machine {
  struct Recovery {
    let torn: TornTransaction
    // What follows when the card has no cryptogram to give back.
    let generation: Generation
  }

  // Sends RECOVER AC for a torn payment of this card with the same amount, type and date, or else GENERATE AC.
  mutating func sendOrRecover(
    _ generation: Generation, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    if settings.tornTransactions > 0 {
      var log = TornTransactionLog(terminal.memory)
      let found = log.take(Self.identity(generation.card, terminal))
      terminal.memory = log.memory
      // A signature can only be checked with the certificate of this tap.
      if let torn = found, !torn.isSigned || generation.certificate != nil {
        state = .recovering(Recovery(torn: torn, generation: generation))
        // RECOVER AC: 80 D0 00 00 and the values of DRDOL.
        return .transmit(
          try .checked(.recoverCryptogram, 0x80, 0xD0, 0x00, 0x00, torn.recovery), .recoverCryptogram)
      }
    }
    return generate(generation)
  }

  private mutating func generate(_ generation: Generation) -> KernelStep {
    state = .generatingCryptogram(generation)
    return .transmit(generation.command, .generateCryptogram)
  }

  // Any other status word than 9000: the card makes a new cryptogram.
  mutating func receiveRecovery(
    _ response: ResponseAPDU, _ recovery: Recovery, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let (torn, now) = (recovery.torn, recovery.generation)
    guard response.status.isOK, let asked = torn.asked else { return generate(now) }
    for node in torn.terminal { terminal.data[node.tag] = node.value }
    restore(torn)
    let command = try CommandAPDU.generateCryptogram(asked, isSigned: torn.isSigned, torn.riskManagement)
    let generation = Generation(
      card: now.card, command: command, certificate: torn.isSigned ? now.certificate : nil,
      choice: CVMListProcessing.Choice(torn.method, terminal.data[.cvmResults] ?? []), asked: asked)
    return try receiveCryptogram(response, generation, &terminal)
  }

  // The card left while it made its cryptogram: keeps the payment, for a card that names the data of RECOVER AC (tag 9F51).
  mutating func keepTorn(_ generation: Generation, _ terminal: inout KernelTerminal) {
    guard settings.tornTransactions > 0, let octets = generation.card.value(.recoveryDataObjectList),
      let list = try? DataObjectList(parsing: octets), list.valueCount <= 250
    else { return }
    let kept = [Tag.terminalVerificationResults, .cvmResults, .unpredictableNumber].compactMap { tag in
      terminal.data[tag].map { TLVNode(tag, $0) }
    }
    let torn = TornTransaction(
      identity: Self.identity(generation.card, terminal), terminal: kept, reference: generation.command.p1,
      riskManagement: generation.command.data,
      recovery: list.values(from: TapValues(terminal.data, generation.card)), options: combined.options,
      relayData: combined.relayData, method: generation.choice.method)
    var log = TornTransactionLog(terminal.memory)
    log.keep(torn, limit: settings.tornTransactions)
    terminal.memory = log.memory
  }

  private static func identity(_ card: CardData, _ terminal: KernelTerminal) -> [TLVNode] {
    let ofCard = [Tag.primaryAccountNumber, .panSequenceNumber].compactMap { tag in
      card.value(tag).map { TLVNode(tag, $0) }
    }
    let ofPayment: [Tag] = [
      .amountAuthorised, .amountOther, .transactionCurrencyCode, .transactionDate, .transactionType,
    ]
    return ofCard + ofPayment.compactMap { tag in terminal.data[tag].map { TLVNode(tag, $0) } }
  }
}

extension TransactionPhase {
  /// RECOVER AC.
  public static let recoverCryptogram = TransactionPhase(rawValue: "RECOVER AC")
}

extension Tag {
  // 9F51: data recovery data object list (DRDOL).
  static let recoveryDataObjectList: Tag = 0x9F51
}

internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

// Kernel 2 in mag-stripe mode, from the last record to the outcome. No public document; the commands are confirmed by a
// public recording, the filling of the tracks by a payment HSM's values, the rest by open terminals that agree.
extension TerminalTransaction {
  mutating func computeChecksum(_ card: CardData, _ initiation: Initiation) -> Step {
    do throws(StepFailure) {
      return try askChecksum(MagStripeTracks(card), card, initiation)
    } catch { return fail(error) }
  }

  private mutating func askChecksum(
    _ tracks: MagStripeTracks, _ card: CardData, _ initiation: Initiation
  ) throws(StepFailure) -> Step {
    guard let settings = initiation.kernel2 else { preconditionFailure("kernel 2 runs with its settings") }
    let random = UInt32(bigEndian: unpredictableNumber) ?? 0
    let number = tracks.positions2.unpredictableNumber(from: random)
    var initiation = initiation
    initiation.terminal.set(.unpredictableNumberNumeric, number.bigEndianOctets)
    let terminal = initiation.terminal
    let list = tracks.udol ?? settings.defaultUDOL
    let command = try CommandAPDU.computeChecksum(list.values { terminal.value($0) ?? card.value($0) })
    return transmit(
      command, .computeChecksum,
      then: .computingChecksum(
        Computation(initiation: initiation, card: card, tracks: tracks, unpredictableNumber: number)))
  }

  mutating func receiveChecksum(_ response: ResponseAPDU, _ computation: Computation) -> Step {
    do throws(StepFailure) {
      let template = try GeneratedCryptogram.template(response, .computeChecksum)
      var card = computation.card
      try card.add(GeneratedCryptogram.format2(template, .computeChecksum), .computeChecksum)
      return try conclude(card, computation)
    } catch { return fail(error) }
  }

  private mutating func conclude(_ card: CardData, _ computation: Computation) throws(StepFailure) -> Step {
    let phase = TransactionPhase.computeChecksum
    let interaction = try Kernel2.optional(.cardholderInteraction, 3...3, card, phase)
    _ = try Kernel2.required(.applicationTransactionCounter, 2...2, card, phase)
    guard try Kernel2.optional(.cvc3Track2, 2...2, card, phase) != nil else {
      // Without either, the card left out what it must give.
      guard interaction != nil else { throw StepFailure(phase, .missing(.cvc3Track2)) }
      return endWithoutChecksum(try needsHolder(card, phase))
    }
    let data = try MagStripeData(card, computation)
    let method = verification(computation.initiation, data)
    var initiation = computation.initiation
    initiation.terminal.set(.cvmResults, method.results)
    return awaitHost(
      KernelDecision(
        verification: method,
        authorizationRequest: AuthorizationRequest(
          magStripe: data, card, initiation.terminal, computation.tracks.accountNumber, method, request)))
  }

  private mutating func endWithoutChecksum(_ needsHolder: Bool) -> Step {
    let failure = StepFailure(.computeChecksum, needsHolder ? .holderNeeded : .declinedWithoutChecksum)
    failures.append(failure)
    return end(needsHolder ? .seePhone(failure) : .declined(nil, failure))
  }

  // A device that verified its holder needs nothing more; for any other card it is tags DF811E and DF812C.
  private func verification(_ initiation: Initiation, _ data: MagStripeData) -> VerificationMethod {
    guard let settings = initiation.kernel2 else { preconditionFailure("kernel 2 runs with its settings") }
    let isRequired = initiation.application.candidate.combination.isVerificationRequired
    if data.isVerifiedOnDevice, settings.options.contains(.onDeviceVerification) {
      return isRequired ? .consumerDevice : .none
    }
    return settings.magStripeVerification(isRequired)
  }
}

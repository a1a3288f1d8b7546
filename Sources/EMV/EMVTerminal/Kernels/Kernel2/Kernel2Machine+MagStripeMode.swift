internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

// Mag-stripe mode, from the last record to the outcome. No public document: the commands are confirmed by a public
// recording, the filling of the tracks by values of a payment HSM, the rest by open terminals that agree.
extension Kernel2Machine {
  mutating func computeChecksum(
    _ card: CardData, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let tracks = try MagStripeTracks(card)
    let random = UInt32(bigEndian: terminal.data[.unpredictableNumber] ?? []) ?? 0
    let number = tracks.track2.positions.unpredictableNumber(from: random)
    terminal.data[.unpredictableNumberNumeric] = number.bigEndianOctets
    let data = terminal.data
    let list = tracks.udol ?? settings.defaultUDOL
    let command = try CommandAPDU.computeChecksum(list.values(from: TapValues(data, card)))
    state = .computingChecksum(Computation(card: card, tracks: tracks, unpredictableNumber: number))
    return .transmit(command, .computeChecksum)
  }

  mutating func receiveChecksum(
    _ response: ResponseAPDU, _ computation: Computation, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    let phase = TransactionPhase.computeChecksum
    let template = try GeneratedCryptogram.template(response, phase)
    var card = computation.card
    try card.add(GeneratedCryptogram.format2(template, phase), phase)
    let interaction = try card.optional(.cardholderInteraction, 3...3, phase)
    _ = try card.required(.applicationTransactionCounter, 2...2, phase)
    guard try card.optional(.cvc3Track2, 2...2, phase) != nil else {
      // A card without a checksum must have tag DF4B.
      guard interaction != nil else { throw StepFailure(phase, .missing(.cvc3Track2)) }
      return .outcome(
        try holderOutcome(card, phase) ?? .declined(nil, StepFailure(phase, .declinedWithoutChecksum)))
    }
    let filled = try computation.tracks.filled(card, computation.unpredictableNumber)
    let method = verification(filled.isVerifiedOnDevice, terminal.request)
    terminal.data[.cvmResults] = method.results
    return awaitHost(
      AuthorizationRequest(magStripe: filled, card, terminal, computation.tracks.accountNumber, method), nil)
  }

  // A device that verified its holder needs nothing more; for any other card, tags DF811E and DF812C give the method.
  private func verification(_ isVerifiedOnDevice: Bool, _ request: PaymentRequest) -> CardholderVerificationMethod {
    let isRequired = kernel.isVerificationRequired(request)
    if isVerifiedOnDevice, settings.options.contains(.onDeviceVerification) {
      return isRequired ? .consumerDevice : .none
    }
    return settings.magStripeVerification(isRequired)
  }
}

internal import EMVData

// The verification of the cardholder: that on the device first, then the list of the card (EMV 4.4 Book 3, 10.5).
extension Kernel4 {
  func verification(
    _ facts: ChipCardData, _ card: CardData, _ mode: ChipMode, _ terminal: KernelTerminal
  ) throws(StepFailure) -> ChipVerification {
    // Checked here too, since a record may hold tag 9F70.
    let interfaces = try interfaces(card, .decision)
    if mode == .magStripe, interfaces.contains(.noMagStripeMode) {
      throw StepFailure(.decision, .modeNotSupported)
    }
    let results = try card.optional(.mobileVerificationResults, 3...3, .processingOptions)
    let choice = choice(facts, mode, terminal, results)
    let isRequired = limits.isVerificationRequired(for: terminal.request)
    let isExempt = configuration.readerCapabilities.contains(.exemptFromVerification)
    let isMissing = isRequired && !isExempt && choice.method == .none
    return ChipVerification(choice: choice, denial: isMissing ? .verificationRequired : nil)
  }

  // No public document says how a card in mag-stripe mode names a method besides that on the device.
  private func choice(
    _ facts: ChipCardData, _ mode: ChipMode, _ terminal: KernelTerminal, _ results: [UInt8]?
  ) -> CVMListProcessing.Choice {
    if let onDevice = onDevice(facts.profile, results) { return onDevice }
    guard mode == .emv else { return .init(.none, CardholderVerificationMethod.none.results) }
    guard facts.profile.contains(.cardholderVerification) else { return CVMListProcessing.notSupported }
    let isRequired = limits.isVerificationRequired(for: terminal.request)
    return CVMListProcessing.choose(facts.cvmList, .init(facts, terminal, capability: methods(isRequired)))
  }

  // What a mobile device reports in tag 9F71; nil when it reports nothing, or the reader does not ask for it. Result 02:
  // successful. Any other result of a verification that was performed has failed.
  private func onDevice(
    _ profile: ApplicationInterchangeProfile, _ octets: [UInt8]?
  ) -> CVMListProcessing.Choice? {
    guard profile.contains(.mobileDevice), configuration.readerCapabilities.contains(.mobileVerification),
      let results = octets.flatMap({ MobileVerificationResults($0) }), results.performed == 0x01
    else { return nil }
    guard results.result == 0x02 else {
      return CVMListProcessing.Choice(.none, [0x01, 0x00, 0x01], .cardholderVerificationFailed)
    }
    return CVMListProcessing.Choice(.consumerDevice, CardholderVerificationMethod.consumerDevice.results)
  }

  // The methods of the reader, as byte 2 of tag 9F33 names them: they are in byte 2 of tag 9F6E. "No CVM" is one up to the
  // limit, and for a terminal that is exempt.
  private func methods(_ isRequired: Bool) -> UInt8 {
    let reader = configuration.readerCapabilities
    return (reader.contains(.onlinePIN) ? 0x40 : 0) | (reader.contains(.signature) ? 0x20 : 0)
      | (!isRequired || reader.contains(.exemptFromVerification) ? 0x08 : 0)
  }
}

internal import EMVData
internal import ISO7816

// The ends of a payment that depend on more than the type of the cryptogram: what open terminals agree on.
extension Kernel2Machine {
  // The outcome for a phone that needs its holder (tag DF4B), with the message of the profile's table; nil for any other
  // card. Open terminals ask for `00030F`; their table of messages sends the holder to the phone for bits 3 and 4 of byte 2
  // too.
  func holderOutcome(_ card: CardData, _ phase: TransactionPhase) throws(StepFailure) -> PaymentOutcome? {
    guard let interaction = try card.interaction(phase)?.rawValue, interaction & 0x000F0F != 0 else { return nil }
    let failure = StepFailure(phase, .holderNeeded)
    let entry = settings.phoneMessages.first { interaction & $0.mask == $0.value }
    let message = entry?.message ?? .notAuthorised
    if message == .seePhone { return .seePhone(failure) }
    var outcome = PaymentOutcome(.endApplication, message, restart: .directory, failure: failure)
    outcome.status = entry?.status
    return outcome
  }

  // An AAC. A purchase or cash with a card goes on with the chip; a phone has none that a terminal could read.
  func refused(_ request: AuthorizationRequest, _ card: CardData, _ failure: StepFailure) -> PaymentOutcome {
    guard [0x00, 0x01, 0x09, 0x17].contains(request.payment.type.rawValue) else { return .endApplication(failure) }
    let readsContacts = settings.cardDataInput & Self.contactChip != 0
    return isPhone(card) || !readsContacts ? .declined(request, failure) : .otherInterface(.insert, failure)
  }

  // Bit 6 of byte 1 of tag 9F33: IC with contacts (EMV 4.4 Book 4, annex A2).
  private static let contactChip: UInt8 = 0x20

  // Tag 9F6E of kernel 2: country, unique identifier, and, where bit 8 of its first byte is 0, the type of the device: "00" is
  // a card.
  private func isPhone(_ card: CardData) -> Bool {
    guard let value = card.value(.formFactorIndicator), value.count >= 6, value[2] & 0x80 == 0 else { return false }
    return value[4...5] != [0x30, 0x30]
  }

  // The host gets the distance measurement in track 2 when no signature covers it.
  func rewriteTrack2(_ card: inout CardData) throws(StepFailure) {
    guard let relayMeasurement, let track = card.value(.track2EquivalentData),
      let rewritten = relayMeasurement.rewritten(track, authorityIndex: card.value(.authorityIndex)?.first)
    else { return }
    try card.replace([TLVNode(.track2EquivalentData, rewritten)], .generateCryptogram)
  }
}

extension Tag {
  // 8F: certification authority public key index, card.
  static let authorityIndex: Tag = 0x8F
}

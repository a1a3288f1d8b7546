internal import EMVData
internal import ISO7816
internal import Octets

extension AuthorizationRequest {
  // Mag-stripe mode: without the data elements of the chip and the cryptogram, with the tracks and the checksums.
  private static let magStripeOrder: [Tag] = [
    .track1Data, .transactionCurrencyCode, .panSequenceNumber, .applicationInterchangeProfile, .dfName,
    .transactionDate, .transactionType, .amountAuthorised, .amountOther, .applicationIdentifier, .merchantCategoryCode,
    .merchantIdentifier, .terminalCountryCode, .terminalIdentification, .transactionTime, .terminalCapabilities,
    .cvmResults, .terminalType, .applicationTransactionCounter, .pointOfServiceEntryMode, .merchantNameAndLocation,
    .cvc3Track1, .cvc3Track2, .unpredictableNumberNumeric, .track2Data, .formFactorIndicator, .customerExclusiveData,
    .cardholderInteraction,
  ]

  init(
    kernel2 card: CardData, _ terminal: KernelTerminal, name: [UInt8], _ type: CryptogramType,
    _ verification: CardholderVerificationMethod
  ) throws(StepFailure) {
    try self.init(
      chip: card, terminal, name: name, type, verification,
      further: [.formFactorIndicator, .customerExclusiveData, .cardholderInteraction])
  }

  init(
    magStripe tracks: MagStripeTracks.Filled, _ card: CardData, _ terminal: KernelTerminal,
    _ number: PrimaryAccountNumber, _ verification: CardholderVerificationMethod
  ) {
    func value(_ tag: Tag) -> [UInt8]? {
      switch tag {
      case .track1Data: tracks.track1
      case .track2Data: tracks.track2
      case .dfName: terminal.data[.applicationIdentifier]
      // 91: contactless, magnetic stripe data (ISO 8583:1987, field 22, as acquirers list it).
      case .pointOfServiceEntryMode: [0x91]
      default: terminal.data[tag] ?? card.value(tag)
      }
    }
    self.init(
      elements: Self.magStripeOrder.compactMap { tag in value(tag).map { TLVNode(tag, $0) } }, accountNumber: number,
      cryptogramType: nil, verification: verification, payment: terminal.request,
      unpredictableNumber: tracks.unpredictableNumber.bigEndianOctets)
  }
}

internal import EMVData
internal import ISO7816

extension AuthorizationRequest {
  // In the order of their tags. Tags 9F66 and 9F69 are a card's own in kernel 2 and no host's business.
  private static let order: [Tag] = [
    .track2EquivalentData, .primaryAccountNumber, .applicationExpirationDate, .transactionCurrencyCode,
    .panSequenceNumber, .applicationInterchangeProfile, .dfName, .terminalVerificationResults, .transactionDate,
    .transactionType, .amountAuthorised, .amountOther, .applicationIdentifier, .terminalApplicationVersion,
    .issuerApplicationData, .merchantCategoryCode, .merchantIdentifier, .terminalCountryCode, .terminalIdentification,
    .transactionTime, .applicationCryptogram, .cryptogramInformationData, .terminalCapabilities, .cvmResults,
    .terminalType, .applicationTransactionCounter, .unpredictableNumber, .pointOfServiceEntryMode,
    .merchantNameAndLocation, .formFactorIndicator, .customerExclusiveData, .cardholderInteraction,
  ]

  // The chip's data elements and the cryptogram do not belong in mag-stripe mode; its own do.
  private static let magStripeOrder: [Tag] = [
    .track1Data, .transactionCurrencyCode, .panSequenceNumber, .applicationInterchangeProfile, .dfName,
    .transactionDate, .transactionType, .amountAuthorised, .amountOther, .applicationIdentifier, .merchantCategoryCode,
    .merchantIdentifier, .terminalCountryCode, .terminalIdentification, .transactionTime, .terminalCapabilities,
    .cvmResults, .terminalType, .applicationTransactionCounter, .pointOfServiceEntryMode, .merchantNameAndLocation,
    .cvc3Track1, .cvc3Track2, .unpredictableNumberNumeric, .track2Data, .formFactorIndicator, .customerExclusiveData,
    .cardholderInteraction,
  ]

  init(
    kernel2 card: CardData, _ generation: TerminalTransaction.Generation, _ type: CryptogramType,
    _ payment: PaymentRequest
  ) throws(StepFailure) {
    let terminal = generation.initiation.terminal
    let name = generation.initiation.application.name
    func value(_ tag: Tag) -> [UInt8]? { tag == .dfName ? name : terminal.value(tag) ?? card.value(tag) }
    self.init(
      elements: Self.order.compactMap { tag in value(tag).map { TLVNode(tag, $0) } },
      accountNumber: try Kernel2Facts(card).accountNumber, cryptogramType: type,
      verification: generation.choice.method, payment: payment)
  }

  init(
    magStripe data: MagStripeData, _ card: CardData, _ terminal: TerminalData, _ number: PrimaryAccountNumber,
    _ verification: VerificationMethod, _ payment: PaymentRequest
  ) {
    func value(_ tag: Tag) -> [UInt8]? {
      switch tag {
      case .track1Data: data.track1
      case .track2Data: data.track2
      case .dfName: terminal.value(.applicationIdentifier)
      // 91: contactless, magnetic stripe data (ISO 8583:1987, field 22, as acquirers list it).
      case .pointOfServiceEntryMode: [0x91]
      default: terminal.value(tag) ?? card.value(tag)
      }
    }
    self.init(
      elements: Self.magStripeOrder.compactMap { tag in value(tag).map { TLVNode(tag, $0) } }, accountNumber: number,
      cryptogramType: nil, verification: verification, payment: payment, magStripe: data)
  }
}

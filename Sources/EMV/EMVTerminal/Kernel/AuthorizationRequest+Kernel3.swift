internal import EMVData
internal import ISO7816

extension AuthorizationRequest {
  // The data elements of an online request, in the order of their tags: those that a cryptogram needs, those that
  // identify the card, and those that tell a host how it was read.
  private static let order: [Tag] = [
    .track2EquivalentData, .primaryAccountNumber, .applicationExpirationDate, .transactionCurrencyCode,
    .panSequenceNumber, .applicationInterchangeProfile, .terminalVerificationResults, .transactionDate,
    .transactionType, .amountAuthorised, .amountOther, .applicationIdentifier, .issuerApplicationData,
    .merchantCategoryCode, .merchantIdentifier, .terminalCountryCode, .terminalIdentification, .transactionTime,
    .applicationCryptogram, .cryptogramInformationData, .terminalCapabilities, .cvmResults, .terminalType,
    .applicationTransactionCounter, .unpredictableNumber, .pointOfServiceEntryMode, .merchantNameAndLocation,
    .availableOfflineSpendingAmount, .terminalTransactionQualifiers, .cardAuthenticationRelatedData,
    .cardTransactionQualifiers, .formFactorIndicator, .customerExclusiveData,
  ]

  init(
    _ facts: CardFacts, _ card: CardData, _ terminal: TerminalData, _ verification: VerificationMethod,
    _ payment: PaymentRequest
  ) {
    func value(_ tag: Tag) -> [UInt8]? {
      switch tag {
      case .cvmResults: verification.results
      // The kernel fills it in when the card left it out (Book C-3 v2.11, 5.4.3.1).
      case .cryptogramInformationData: card.value(tag) ?? [facts.cryptogramType.cryptogramInformationData]
      default: terminal.value(tag) ?? card.value(tag)
      }
    }
    self.init(
      elements: Self.order.compactMap { tag in value(tag).map { TLVNode(tag, $0) } },
      accountNumber: facts.accountNumber, cryptogramType: facts.cryptogramType, verification: verification,
      payment: payment)
  }
}

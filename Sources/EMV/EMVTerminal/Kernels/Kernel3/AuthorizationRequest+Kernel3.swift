internal import EMVData
internal import ISO7816

extension AuthorizationRequest {
  // The data elements of an online request, in the order of their tags: those that the cryptogram covers, those that
  // identify the card, and those that describe the terminal.
  private static let kernel3Order: [Tag] = [
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
    kernel3 facts: Kernel3CardData, _ card: CardData, _ terminal: KernelTerminal,
    _ verification: CardholderVerificationMethod
  ) {
    func value(_ tag: Tag) -> [UInt8]? {
      switch tag {
      case .cvmResults: verification.results
      // The kernel adds the tag when the card left it out (Book C-3 v2.11, 5.4.3.1).
      case .cryptogramInformationData: card.value(tag) ?? [facts.cryptogramType.cryptogramInformationData]
      default: terminal.data[tag] ?? card.value(tag)
      }
    }
    self.init(
      elements: Self.kernel3Order.compactMap { tag in value(tag).map { TLVNode(tag, $0) } },
      accountNumber: facts.accountNumber, cryptogramType: facts.cryptogramType, verification: verification,
      payment: terminal.request)
  }
}

extension Tag {
  // 9F5D: available offline spending amount. Other kernels use the tag for something else.
  static let availableOfflineSpendingAmount: Tag = 0x9F5D
}

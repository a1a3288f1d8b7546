internal import EMVData
internal import ISO7816

// The request of a kernel that asks for a cryptogram after the records.
extension AuthorizationRequest {
  // In the order of the tags. Tags 9F66 and 9F69 are left out: for kernel 2 they are data of the card that a host does not
  // use.
  private static let chipOrder: [Tag] = [
    .track2EquivalentData, .primaryAccountNumber, .applicationExpirationDate, .transactionCurrencyCode,
    .panSequenceNumber, .applicationInterchangeProfile, .dfName, .terminalVerificationResults, .transactionDate,
    .transactionType, .amountAuthorised, .amountOther, .applicationIdentifier, .terminalApplicationVersion,
    .issuerApplicationData, .merchantCategoryCode, .merchantIdentifier, .terminalCountryCode, .terminalIdentification,
    .transactionTime, .applicationCryptogram, .cryptogramInformationData, .terminalCapabilities, .cvmResults,
    .terminalType, .applicationTransactionCounter, .unpredictableNumber, .pointOfServiceEntryMode,
    .merchantNameAndLocation,
  ]

  /// - Parameter further: Tags that only one kernel sends, behind the others.
  init(
    chip card: CardData, _ terminal: KernelTerminal, name: [UInt8], _ type: CryptogramType,
    _ verification: CardholderVerificationMethod, further: [Tag]
  ) throws(StepFailure) {
    func value(_ tag: Tag) -> [UInt8]? { tag == .dfName ? name : terminal.data[tag] ?? card.value(tag) }
    self.init(
      elements: (Self.chipOrder + further).compactMap { tag in value(tag).map { TLVNode(tag, $0) } },
      accountNumber: try ChipCardData(card).accountNumber, cryptogramType: type, verification: verification,
      payment: terminal.request)
  }
}

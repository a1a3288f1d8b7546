public import EMVData
public import ISO7816

extension DataElement {
  /// The bit fields that a tag can hold: the meaning of the EMV books first, then those of single kernels. Empty for a
  /// data element without named bits.
  public static func bitFields(of tag: Tag) -> [any BitField.Type] {
    (commonBitFields[tag].map { [$0] } ?? []) + (ofOneKernel[tag].map { [$0] } ?? [])
  }

  static let commonBitFields: [Tag: any BitField.Type] = [
    .terminalVerificationResults: TerminalVerificationResults.self, 0x9F0D: TerminalVerificationResults.self,
    0x9F0E: TerminalVerificationResults.self, 0x9F0F: TerminalVerificationResults.self,
    0xDF8120: TerminalVerificationResults.self, 0xDF8121: TerminalVerificationResults.self,
    0xDF8122: TerminalVerificationResults.self, 0x9F820B: TerminalVerificationResults.self,
    0x9F820C: TerminalVerificationResults.self, 0x9F8104: TerminalVerificationResults.self,
    0x9B: TransactionStatusInformation.self, .terminalTransactionQualifiers: TerminalTransactionQualifiers.self,
    .cardTransactionQualifiers: CardTransactionQualifiers.self, .terminalCapabilities: TerminalCapabilities.self,
    .applicationInterchangeProfile: ApplicationInterchangeProfile.self,
    .additionalTerminalCapabilities: AdditionalTerminalCapabilities.self, 0x9F1D: TerminalRiskManagementData.self,
    .applicationUsageControl: ApplicationUsageControl.self, 0x9F7E: MobileSupportIndicator.self,
    0xDF4B: POSCardholderInteractionInformation.self, .formFactorIndicator: FormFactorIndicator.self,
  ]

  // 9F5D has these bits for Mastercard, 9F6D, 9F6E and 9F70 for American Express, 9F52 and 9F53 for JCB.
  private static let ofOneKernel: [Tag: any BitField.Type] = [
    0x9F5D: ApplicationCapabilitiesInformation.self, 0x9F6E: EnhancedContactlessReaderCapabilities.self,
    0x9F6D: ContactlessReaderCapabilities.self, 0x9F70: CardInterfaceCapabilities.self,
    0x9F52: TerminalCompatibilityIndicator.self, 0x9F53: TerminalInterchangeProfile.self,
  ]
}

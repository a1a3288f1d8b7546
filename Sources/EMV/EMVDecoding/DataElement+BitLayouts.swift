public import EMVData
public import ISO7816

extension DataElement {
  /// The layouts of bits that a tag can hold: the meaning of the EMV books first, then those of single kernels. Empty
  /// for a data element without named bits.
  public static func bitLayouts(of tag: Tag) -> [BitLayout] {
    (commonBitLayouts[tag].map { [$0] } ?? []) + (ofOneKernel[tag].map { [$0] } ?? [])
  }

  static let commonBitLayouts: [Tag: BitLayout] = [
    .terminalVerificationResults: TerminalVerificationResults.layout, 0x9F0D: TerminalVerificationResults.layout,
    0x9F0E: TerminalVerificationResults.layout, 0x9F0F: TerminalVerificationResults.layout,
    0xDF8120: TerminalVerificationResults.layout, 0xDF8121: TerminalVerificationResults.layout,
    0xDF8122: TerminalVerificationResults.layout, 0x9F820B: TerminalVerificationResults.layout,
    0x9F820C: TerminalVerificationResults.layout, 0x9F8104: TerminalVerificationResults.layout,
    0x9B: TransactionStatusInformation.layout, .terminalTransactionQualifiers: TerminalTransactionQualifiers.layout,
    .cardTransactionQualifiers: CardTransactionQualifiers.layout, .terminalCapabilities: .terminalCapabilities,
    .applicationInterchangeProfile: ApplicationInterchangeProfile.layout,
    .additionalTerminalCapabilities: .additionalTerminalCapabilities, 0x9F1D: .terminalRiskManagementData,
    .applicationUsageControl: .applicationUsageControl, 0x9F7E: .mobileSupportIndicator,
    0xDF8118: .verificationCapability, 0xDF8119: .verificationCapability,
    0xDF4B: POSCardholderInteractionInformation.layout, .formFactorIndicator: .formFactorIndicator,
  ]

  // 9F5D has these bits for Mastercard, 9F6D, 9F6E and 9F70 for American Express, 9F52 and 9F53 for JCB.
  private static let ofOneKernel: [Tag: BitLayout] = [
    0x9F5D: .applicationCapabilitiesInformation, 0x9F6E: EnhancedContactlessReaderCapabilities.layout,
    0x9F6D: .contactlessReaderCapabilities, 0x9F70: CardInterfaceCapabilities.layout,
    0x9F52: .terminalCompatibility, 0x9F53: TerminalInterchangeProfile.layout,
  ]
}

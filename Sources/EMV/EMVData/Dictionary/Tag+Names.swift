public import ISO7816

// Tags by name: EMV 4.4 Book 3, annex A; EMV Contactless Book A, Book B and Book C-3.
extension Tag {
  /// 4F: application identifier of an application definition file, card.
  public static let adfName: Tag = 0x4F
  /// 50: application label.
  public static let applicationLabel: Tag = 0x50
  /// 57: track 2 equivalent data.
  public static let track2EquivalentData: Tag = 0x57
  /// 5A: application primary account number.
  public static let primaryAccountNumber: Tag = 0x5A
  /// 5F20: cardholder name.
  public static let cardholderName: Tag = 0x5F20
  /// 5F24: application expiration date.
  public static let applicationExpirationDate: Tag = 0x5F24
  /// 5F25: application effective date.
  public static let applicationEffectiveDate: Tag = 0x5F25
  /// 5F28: issuer country code.
  public static let issuerCountryCode: Tag = 0x5F28
  /// 5F2A: transaction currency code.
  public static let transactionCurrencyCode: Tag = 0x5F2A
  /// 5F2D: language preference.
  public static let languagePreference: Tag = 0x5F2D
  /// 5F34: application PAN sequence number.
  public static let panSequenceNumber: Tag = 0x5F34
  /// 5F36: transaction currency exponent.
  public static let transactionCurrencyExponent: Tag = 0x5F36
  /// 61: application template.
  public static let applicationTemplate: Tag = 0x61
  /// 6F: file control information template.
  public static let fciTemplate: Tag = 0x6F
  /// 70: record template.
  public static let recordTemplate: Tag = 0x70
  /// 77: response message template, format 2.
  public static let responseFormat2: Tag = 0x77
  /// 80: response message template, format 1.
  public static let responseFormat1: Tag = 0x80
  /// 82: application interchange profile.
  public static let applicationInterchangeProfile: Tag = 0x82
  /// 83: command template.
  public static let commandTemplate: Tag = 0x83
  /// 84: dedicated file name.
  public static let dfName: Tag = 0x84
  /// 87: application priority indicator.
  public static let applicationPriorityIndicator: Tag = 0x87
  /// 8C: card risk management data object list 1.
  public static let cdol1: Tag = 0x8C
  /// 8D: card risk management data object list 2.
  public static let cdol2: Tag = 0x8D
  /// 8E: cardholder verification method (CVM) list.
  public static let cvmList: Tag = 0x8E
  /// 94: application file locator.
  public static let applicationFileLocator: Tag = 0x94
  /// 95: terminal verification results.
  public static let terminalVerificationResults: Tag = 0x95
  /// 9A: transaction date, YYMMDD.
  public static let transactionDate: Tag = 0x9A
  /// 9C: transaction type.
  public static let transactionType: Tag = 0x9C
  /// 9F02: amount, authorised (numeric).
  public static let amountAuthorised: Tag = 0x9F02
  /// 9F03: amount, other (numeric).
  public static let amountOther: Tag = 0x9F03
  /// 9F06: application identifier, terminal.
  public static let applicationIdentifier: Tag = 0x9F06
  /// 9F07: application usage control.
  public static let applicationUsageControl: Tag = 0x9F07
  /// 9F10: issuer application data.
  public static let issuerApplicationData: Tag = 0x9F10
  /// 9F15: merchant category code.
  public static let merchantCategoryCode: Tag = 0x9F15
  /// 9F1A: terminal country code.
  public static let terminalCountryCode: Tag = 0x9F1A
  /// 9F21: transaction time, HHMMSS.
  public static let transactionTime: Tag = 0x9F21
  /// 9F26: application cryptogram.
  public static let applicationCryptogram: Tag = 0x9F26
  /// 9F27: cryptogram information data.
  public static let cryptogramInformationData: Tag = 0x9F27
  /// 9F2A: kernel identifier.
  public static let kernelIdentifier: Tag = 0x9F2A
  /// 9F33: terminal capabilities.
  public static let terminalCapabilities: Tag = 0x9F33
  /// 9F34: cardholder verification method results.
  public static let cvmResults: Tag = 0x9F34
  /// 9F35: terminal type.
  public static let terminalType: Tag = 0x9F35
  /// 9F36: application transaction counter.
  public static let applicationTransactionCounter: Tag = 0x9F36
  /// 9F37: unpredictable number.
  public static let unpredictableNumber: Tag = 0x9F37
  /// 9F38: processing options data object list.
  public static let pdol: Tag = 0x9F38
  /// 9F40: additional terminal capabilities.
  public static let additionalTerminalCapabilities: Tag = 0x9F40
  /// 9F4E: merchant name and location.
  public static let merchantNameAndLocation: Tag = 0x9F4E
  /// 9F66: terminal transaction qualifiers.
  public static let terminalTransactionQualifiers: Tag = 0x9F66
  /// 9F69: card authentication related data (Book C-3).
  public static let cardAuthenticationRelatedData: Tag = 0x9F69
  /// 9F6C: card transaction qualifiers.
  public static let cardTransactionQualifiers: Tag = 0x9F6C
  /// 9F6E: form factor indicator (Visa).
  public static let formFactorIndicator: Tag = 0x9F6E
  /// 9F7C: customer exclusive data (Visa).
  public static let customerExclusiveData: Tag = 0x9F7C
  /// A5: file control information proprietary template.
  public static let fciProprietaryTemplate: Tag = 0xA5
  /// BF0C: file control information issuer discretionary data.
  public static let fciIssuerDiscretionaryData: Tag = 0xBF0C
}

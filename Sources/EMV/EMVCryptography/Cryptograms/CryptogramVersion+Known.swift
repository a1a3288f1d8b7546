internal import Ciphers
internal import EMVData

extension CryptogramVersion {
  private static let masterKeyCode = ResponseRule(method: .responseCode, key: .masterKey)
  private static let sessionKeyCode = ResponseRule(method: .responseCode, key: .cryptogramKey)
  private static let sessionKeyUpdate = ResponseRule(method: .cardStatusUpdate, key: .cryptogramKey)
  private static let scriptWithTransaction = ScriptRule(coversTransaction: true)

  /// Visa CVN 10 ('0A'): the card's master key, the data end with the CVR, padded with zeros. Confirmed by a payment
  /// HSM's values.
  public static let visa10 = CryptogramVersion(
    .visa, number: 0x0A, derivation: .optionA, sessionKey: .masterKey, issuerData: .cardVerificationResults,
    padding: .zeros, response: masterKeyCode, scriptKey: .visa, script: scriptWithTransaction)

  /// Visa CVN 17 ('11'): the card's master key over amount, unpredictable number, counter and the fifth byte of tag
  /// 9F10. **No public document or vector has it** (EMV Contactless Book C-3 states only that the data are a subset):
  /// the subset comes from an unconfirmed description, padding and scripts are assumed to be those of CVN 10, and there
  /// is no ARPC.
  public static let visa17 = CryptogramVersion(
    .visa, number: 0x11, derivation: .optionA, sessionKey: .masterKey,
    elements: [.amountAuthorised, .unpredictableNumber, .applicationTransactionCounter], issuerData: .fifthOctet,
    padding: .zeros, response: nil, scriptKey: .visa, script: scriptWithTransaction)

  /// Visa CVN 18 ('12'): common session key, the data end with all of tag 9F10. Confirmed by a payment HSM's values.
  public static let visa18 = CryptogramVersion(
    .visa, number: 0x12, derivation: .optionB, sessionKey: .common, issuerData: .whole, response: sessionKeyUpdate,
    scriptKey: .visa, script: scriptWithTransaction)

  /// Visa CVN 22 ('22', in format 2 of tag 9F10): as CVN 18, with script keys of EMV. Confirmed by a payment HSM's
  /// values, which do not show the number's byte.
  public static let visa22 = CryptogramVersion(
    .visa, number: 0x22, derivation: .optionB, sessionKey: .common, issuerData: .whole, response: sessionKeyUpdate,
    scriptKey: .common, script: scriptWithTransaction)

  /// Mastercard CVN 16 ('10'): session key with the unpredictable number, the data end with the CVR. Confirmed by a
  /// payment HSM's values.
  public static let mastercard16 = mastercard(0x10, .cardVerificationResults)
  /// Mastercard CVN 17 ('11'): as CVN 16, the data end with CVR and counters. Confirmed by a payment HSM's values.
  public static let mastercard17 = mastercard(0x11, .cardVerificationResultsAndCounters)
  /// Mastercard CVN 20 ('14'): common session key, the data end with the CVR. Confirmed by a payment HSM's values.
  public static let mastercard20 = mastercard(0x14, .cardVerificationResults)
  /// Mastercard CVN 21 ('15'): as CVN 20, the data end with CVR and counters. Confirmed by a payment HSM's values.
  public static let mastercard21 = mastercard(0x15, .cardVerificationResultsAndCounters)

  private static func mastercard(_ number: UInt8, _ part: IssuerDataPart) -> CryptogramVersion {
    // Bits 3 and 2 select the session key: 00 with the unpredictable number, 10 without.
    let isCommon = number & 0x06 != 0
    return CryptogramVersion(
      .mastercard, number: number, derivation: .optionA,
      sessionKey: isCommon ? .common : .commonWithUnpredictableNumber, issuerData: part,
      response: isCommon ? sessionKeyCode : masterKeyCode, scriptKey: .common, script: scriptWithTransaction)
  }

  /// Interac CVN 133 ('85'): session key with the unpredictable number, the data end with all of tag 9F10. Confirmed by
  /// a payment HSM's values.
  public static let interac133 = CryptogramVersion(
    .interac, number: 0x85, derivation: .optionA, sessionKey: .commonWithUnpredictableNumber, issuerData: .whole,
    response: sessionKeyCode, scriptKey: .common,
    script: ScriptRule(coversTransaction: false))

  /// CCD cryptogram version 5 ('A5'): triple DES, common session key, the data end with all of tag 9F10 (EMV 4.3 Book
  /// 2, 8.1.2). No test vector is public; the rule equals that of Visa CVN 18. Scripts, which have format 1, are not
  /// supported.
  public static let commonCore5 = CryptogramVersion(
    .commonCore, number: 0xA5, derivation: .optionB, sessionKey: .common, issuerData: .whole,
    response: sessionKeyUpdate, scriptKey: .common, script: nil)

  /// CCD cryptogram version 6 ('A6'): as version 5 with AES-128 and CMAC (EMV 4.3 Book 2, 8.1.2). **No public vector
  /// from a card or an HSM exists**: the values were compared with those of two other AES libraries only.
  public static let commonCore6 = CryptogramVersion(
    .commonCore, number: 0xA6, derivation: .optionC, sessionKey: .common, issuerData: .whole,
    response: sessionKeyUpdate, scriptKey: .common, script: nil)

  /// All versions that this engine supports.
  public static let all = [
    visa10, visa17, visa18, visa22, mastercard16, mastercard17, mastercard20, mastercard21, interac133, commonCore5,
    commonCore6,
  ]

  /// Returns the version of a payment system with a number, or nil when this engine does not support it.
  public static func numbered(_ number: UInt8, of paymentSystem: PaymentSystem) -> CryptogramVersion? {
    all.first { $0.paymentSystem == paymentSystem && $0.number == number }
  }

  /// Returns the version that issuer application data (tag 9F10) name, or nil when the layout is not the payment
  /// system's or this engine does not support the version.
  public static func named(by issuerApplicationData: [UInt8], of paymentSystem: PaymentSystem) -> CryptogramVersion? {
    number(in: issuerApplicationData, of: paymentSystem).flatMap { numbered($0, of: paymentSystem) }
  }

  private static func number(in octets: [UInt8], of paymentSystem: PaymentSystem) -> UInt8? {
    switch paymentSystem {
    case .visa: VisaIssuerApplicationData(octets)?.cryptogramVersionNumber
    case .mastercard: MastercardIssuerApplicationData(octets)?.cryptogramVersionNumber
    case .commonCore: CommonCoreIssuerApplicationData(octets)?.commonCoreIdentifier
    // Length of the rest, derivation key index, number: as in the public vectors.
    case .interac: octets.count >= 3 && Int(octets[0]) == octets.count - 1 ? octets[2] : nil
    }
  }
}

internal import EMVData
public import ISO7816

/// A cryptogram version: which keys, which data, which padding, which answer. Card and issuer both follow it as data.
public struct CryptogramVersion: Hashable, Sendable, CustomStringConvertible {
  /// Whose version it is: each payment system counts its own.
  public let paymentSystem: PaymentSystem
  /// The number as it stands in tag 9F10; for CCD the whole common core identifier.
  public let number: UInt8
  /// How the card's master keys are derived.
  public let derivation: MasterKeyDerivation
  /// Which key makes the cryptogram.
  public let sessionKey: SessionKeyRule
  /// The data elements that come before the issuer's, in order.
  public let elements: [Tag]
  /// What of tag 9F10 ends the data.
  public let issuerData: IssuerDataPart
  /// How the data are padded. AES-CMAC pads by itself and takes no notice.
  public let padding: RetailMAC.Padding
  /// How the issuer answers, or nil when it does not.
  public let response: ResponseRule?
  /// Which key protects issuer scripts.
  public let scriptKey: ScriptKeyRule
  /// How an issuer script is put together, or nil when this engine does not make any for the version.
  public let script: ScriptRule?

  /// Creates a version.
  ///
  /// - Parameters:
  ///   - elements: Those of all versions but Visa's CVN 17 when left out.
  ///   - padding: Not used with a key of option C, since AES-CMAC has its own padding.
  public init(
    _ paymentSystem: PaymentSystem, _ number: UInt8, _ derivation: MasterKeyDerivation, _ sessionKey: SessionKeyRule,
    elements: [Tag] = Self.dataElements, _ issuerData: IssuerDataPart, _ padding: RetailMAC.Padding = .mandatory,
    response: ResponseRule?, scriptKey: ScriptKeyRule, script: ScriptRule?
  ) {
    self.paymentSystem = paymentSystem
    self.number = number
    self.derivation = derivation
    self.sessionKey = sessionKey
    self.elements = elements
    self.issuerData = issuerData
    self.padding = padding
    self.response = response
    self.scriptKey = scriptKey
    self.script = script
  }

  /// The ten data elements that come before the issuer's in all versions but Visa's CVN 17, in order
  /// (EMV 4.3 Book 2, table 26).
  public static let dataElements: [Tag] = [
    .amountAuthorised, .amountOther, .terminalCountryCode, .terminalVerificationResults, .transactionCurrencyCode,
    .transactionDate, .transactionType, .unpredictableNumber, .applicationInterchangeProfile,
    .applicationTransactionCounter,
  ]

  /// The algorithm of all keys and MACs of the version.
  public var cipher: Cipher { derivation == .optionC ? .aes128 : .tripleDES }

  /// Whether the key waits for the terminal's unpredictable number, tag 9F37, and cannot be derived before.
  public var needsUnpredictableNumber: Bool { sessionKey == .commonWithUnpredictableNumber }

  /// The payment system and the number, such as `Visa CVN 18`.
  public var description: String {
    switch paymentSystem {
    case .visa: "Visa CVN \(number)"
    case .mastercard: "Mastercard CVN \(number)"
    case .interac: "Interac CVN \(number)"
    case .commonCore: "CCD cryptogram version \(number & 0x0F)"
    }
  }
}

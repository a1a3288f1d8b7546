public import Ciphers
internal import EMVData
public import ISO7816

/// A cryptogram version: its keys, covered data, padding and issuer response, as data for both card and issuer.
public struct CryptogramVersion: Hashable, Sendable, CustomStringConvertible {
  /// The payment systems; each numbers its versions itself.
  public let paymentSystem: PaymentSystem
  /// The number in tag 9F10; for CCD, the whole common core identifier.
  public let number: UInt8
  /// The derivation of the card's master keys.
  public let derivation: MasterKeyDerivation
  /// The key of the cryptogram.
  public let sessionKey: SessionKeyRule
  /// The data elements before the issuer application data, in order.
  public let elements: [Tag]
  /// The part of tag 9F10 at the end of the data.
  public let issuerData: IssuerDataPart
  /// The padding of the data. AES-CMAC ignores it, because it has a padding of its own.
  public let padding: RetailMAC.Padding
  /// The issuer's response, or nil when the version has no response.
  public let response: ResponseRule?
  /// The key of issuer scripts.
  public let scriptKey: ScriptKeyRule
  /// The rules of issuer scripts, or nil when this engine supports no scripts of the version.
  public let script: ScriptRule?

  /// Creates a version.
  ///
  /// - Parameters:
  ///   - elements: Those of all versions but Visa's CVN 17 when left out.
  ///   - padding: Not used with a key of option C, since AES-CMAC has its own padding.
  public init(
    _ paymentSystem: PaymentSystem, number: UInt8, derivation: MasterKeyDerivation, sessionKey: SessionKeyRule,
    elements: [Tag] = Self.dataElements, issuerData: IssuerDataPart, padding: RetailMAC.Padding = .mandatory,
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

  /// The ten data elements before the issuer application data in all versions but Visa's CVN 17, in order
  /// (EMV 4.3 Book 2, table 26).
  public static let dataElements: [Tag] = [
    .amountAuthorised, .amountOther, .terminalCountryCode, .terminalVerificationResults, .transactionCurrencyCode,
    .transactionDate, .transactionType, .unpredictableNumber, .applicationInterchangeProfile,
    .applicationTransactionCounter,
  ]

  /// The algorithm of all keys and MACs of the version.
  public var cipher: Cipher { derivation == .optionC ? .aes128 : .tripleDES }

  /// Whether the key depends on the terminal's unpredictable number, tag 9F37, and cannot be derived before.
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

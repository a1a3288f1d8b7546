internal import EMVData
public import ISO7816
public import Octets

/// A cryptogram version: which key, which data, which padding. Card and issuer both follow it as data.
public struct CryptogramVersion: Hashable, Sendable, CustomStringConvertible {
  /// What of the issuer application data the cryptogram covers.
  public enum IssuerDataPart: Sendable {
    /// All octets of tag 9F10.
    case whole
    /// The card verification results in it.
    case cardVerificationResults
  }

  /// The payment system and the number, such as `Visa CVN 18`.
  public let description: String
  /// The number as it stands in tag 9F10.
  public let number: UInt8
  /// How the card's master key is derived.
  public let derivation: MasterKeyDerivation
  /// Whether every transaction has a key of its own (EMV common session key derivation).
  public let usesSessionKey: Bool
  /// What of tag 9F10 ends the data.
  public let issuerData: IssuerDataPart
  /// How the data are padded.
  public let padding: RetailMAC.Padding

  /// Visa CVN 10 ('0A'): the card's master key itself, data end with the CVR, padded with zeros.
  public static let visa10 = CryptogramVersion(
    description: "Visa CVN 10", number: 0x0A, derivation: .optionA, usesSessionKey: false,
    issuerData: .cardVerificationResults, padding: .zeros)
  /// Visa CVN 18 ('12'): common session key, data end with all of tag 9F10, mandatory padding.
  public static let visa18 = CryptogramVersion(
    description: "Visa CVN 18", number: 0x12, derivation: .optionB, usesSessionKey: true, issuerData: .whole,
    padding: .mandatory)

  /// The Visa version with a number, or nil when this engine does not have it.
  public static func visa(_ number: UInt8) -> CryptogramVersion? {
    [visa10, visa18].first { $0.number == number }
  }

  /// The data elements that come before the issuer's, in order (EMV 4.3 Book 2, table 26).
  public static let dataElements: [Tag] = [
    .amountAuthorised, .amountOther, .terminalCountryCode, .terminalVerificationResults, .transactionCurrencyCode,
    .transactionDate, .transactionType, .unpredictableNumber, .applicationInterchangeProfile,
    .applicationTransactionCounter,
  ]

  /// The part of tag 9F10 that the cryptogram covers, or nil when its layout is not known.
  public func coveredIssuerData(of issuerApplicationData: [UInt8]) -> [UInt8]? {
    switch issuerData {
    case .whole: issuerApplicationData
    case .cardVerificationResults: VisaIssuerApplicationData(issuerApplicationData)?.cardVerificationResults
    }
  }

  /// The key that makes the cryptogram of one transaction.
  ///
  /// - Parameter masterKey: The card's master key, 16 octets.
  public func cryptogramKey(masterKey: borrowing Secret, atc: UInt16) -> Secret {
    usesSessionKey ? deriveCommonSessionKey(from: masterKey, atc: atc) : masterKey.duplicate()
  }

  /// The cryptogram over data that have been put together already.
  public func cryptogram(over data: [UInt8], _ keys: borrowing TripleDESKeys) -> UInt64 {
    var mac = RetailMAC()
    mac.absorb(data.span, keys)
    return mac.finish(padding, keys)
  }
}

public import EMVCryptography
public import EMVData

/// What an issuer knows of one application of one card.
public struct IssuerAccount: Sendable {
  /// The account number.
  public let accountNumber: PrimaryAccountNumber
  /// Tag 5F34.
  public let sequenceNumber: UInt8
  /// How the application makes cryptograms.
  public let cryptogramVersion: CryptogramVersion

  /// Describes an account.
  public init(accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8, cryptogramVersion: CryptogramVersion) {
    self.accountNumber = accountNumber
    self.sequenceNumber = sequenceNumber
    self.cryptogramVersion = cryptogramVersion
  }
}

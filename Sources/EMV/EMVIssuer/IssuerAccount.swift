public import EMVCryptography
public import EMVData

/// An issuer's data about one application of one card.
public struct IssuerAccount: Sendable {
  /// The account number.
  public let accountNumber: PrimaryAccountNumber
  /// Tag 5F34.
  public let sequenceNumber: UInt8
  /// The cryptogram version of the application.
  public let cryptogramVersion: CryptogramVersion
  /// The application's first transaction counter, tag 9F36: 1...65535.
  public let firstCounter: UInt16
  /// Track 2 of the application's mag-stripe mode; nil when it has none.
  public let magStripe: MagStripeTrack?

  /// Describes an account.
  public init(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8, cryptogramVersion: CryptogramVersion,
    firstCounter: UInt16 = 1, magStripe: MagStripeTrack? = nil
  ) {
    self.accountNumber = accountNumber
    self.sequenceNumber = sequenceNumber
    self.cryptogramVersion = cryptogramVersion
    self.firstCounter = firstCounter
    self.magStripe = magStripe
  }
}

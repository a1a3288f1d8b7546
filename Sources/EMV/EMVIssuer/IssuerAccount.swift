public import EMVCryptography
public import EMVData

/// What an issuer knows of one application of one card.
public struct IssuerAccount: Sendable {
  /// What an issuer knows of an application's mag-stripe mode.
  public struct MagStripe: Sendable {
    /// Track 2 as the card has it, before a digit is filled in: tag 9F6B.
    public let track: [UInt8]
    /// Where a terminal writes into it: tags 9F65 to 9F67.
    public let positions: TrackPositions

    /// Describes the mode.
    public init(track: [UInt8], positions: TrackPositions) {
      self.track = track
      self.positions = positions
    }
  }

  /// The account number.
  public let accountNumber: PrimaryAccountNumber
  /// Tag 5F34.
  public let sequenceNumber: UInt8
  /// How the application makes cryptograms.
  public let cryptogramVersion: CryptogramVersion
  /// The application's first transaction counter, tag 9F36: 1...65535.
  public let firstCounter: UInt16
  /// The application's mag-stripe mode; nil when it has none.
  public let magStripe: MagStripe?

  /// Describes an account.
  public init(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8, cryptogramVersion: CryptogramVersion,
    firstCounter: UInt16 = 1, magStripe: MagStripe? = nil
  ) {
    self.accountNumber = accountNumber
    self.sequenceNumber = sequenceNumber
    self.cryptogramVersion = cryptogramVersion
    self.firstCounter = firstCounter
    self.magStripe = magStripe
  }
}

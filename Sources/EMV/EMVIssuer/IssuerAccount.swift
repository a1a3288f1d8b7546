public import EMVCryptography
public import EMVData
internal import Octets

/// An issuer's data about one application of one card.
public struct IssuerAccount: Sendable {
  /// An issuer's data about an application's mag-stripe mode.
  public struct MagStripe: Sendable, ContentConcealing {
    /// Track 2 of the card before a terminal writes digits into it: tag 9F6B.
    public let track: [UInt8]
    /// The positions where a terminal writes digits: tags 9F65 to 9F67.
    public let positions: TrackPositions

    /// Describes the mode.
    public init(track: [UInt8], positions: TrackPositions) {
      self.track = track
      self.positions = positions
    }

    /// The number of bytes of the track.
    public var description: String { "track of \(track.count.bytes)" }
  }

  /// The account number.
  public let accountNumber: PrimaryAccountNumber
  /// Tag 5F34.
  public let sequenceNumber: UInt8
  /// The cryptogram version of the application.
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

public import EMVCard

extension IssuerAccount {
  /// The account of an application.
  public init(_ application: CardImage.Application) {
    let magStripe = application.track2Data.flatMap { track in
      application.track2Positions.map { MagStripe(track: track, positions: $0) }
    }
    self.init(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
      cryptogramVersion: application.cryptogramVersion, firstCounter: application.firstATC, magStripe: magStripe)
  }
}

public import EMVCard

extension IssuerAccount {
  /// The account of an application.
  public init(_ application: CardImage.Application) {
    self.init(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
      cryptogramVersion: application.cryptogramVersion, firstCounter: application.firstATC,
      magStripe: application.track2)
  }
}

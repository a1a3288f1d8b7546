internal import EMVCard
internal import EMVCryptography

/// What the wallet adds to the issuer application data, tag 9F10, of one payment. Only Mastercard applications take it.
public enum WalletTransactionData: Equatable, Sendable {
  /// The most octets: 14.
  public static let maximumCount = Arming.maximumWalletDataCount

  /// These octets, for this payment only: 0...14.
  case ephemeral([UInt8])
  /// What the wallet keeps for the card.
  case stored

  /// The octets for a card.
  func octets(for card: DigitalCard) throws(ContactlessPaymentSession.Error) -> [UInt8] {
    let octets =
      switch self {
      case .ephemeral(let octets): octets
      case .stored: card.walletData ?? []
      }
    guard octets.count <= Self.maximumCount else { throw .invalidWalletTransactionData(count: octets.count) }
    guard card.image.takesWalletData else { throw .schemeNotSupported }
    return octets
  }
}

extension CardImage {
  /// Whether an application of the card takes what the wallet adds to its issuer application data.
  var takesWalletData: Bool {
    applications.contains { $0.cdol1 != nil && $0.cryptogramVersion.paymentSystem == .mastercard }
  }
}

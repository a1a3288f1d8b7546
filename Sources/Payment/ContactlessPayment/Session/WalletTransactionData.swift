internal import EMVCard
internal import EMVCryptography

/// The wallet's part of the issuer application data, tag 9F10, of one payment. Only Mastercard applications accept it.
public enum WalletTransactionData: Equatable, Sendable {
  /// The limit of the data: 14 bytes.
  public static let maximumCount = DigitalCard.maximumWalletDataCount

  /// 0...14 bytes, for this payment only.
  case ephemeral([UInt8])
  /// The bytes that the wallet stores for the card.
  case stored

  /// Returns the bytes for a card.
  ///
  /// - Throws: `invalidWalletTransactionData` or `schemeNotSupported`.
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
  /// Whether an application of the card accepts the wallet's part of its issuer application data.
  var takesWalletData: Bool {
    applications.contains { $0.cdol1 != nil && $0.cryptogramVersion.paymentSystem == .mastercard }
  }
}

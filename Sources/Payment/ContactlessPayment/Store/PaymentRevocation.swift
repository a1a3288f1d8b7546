/// Why a payment in progress must end.
enum PaymentRevocation: Equatable, Sendable {
  /// All data of the wallet were removed.
  case walletWasReset
  /// The card was suspended, retired or deactivated.
  case cardChanged(DigitalCard.State)
  /// The card was removed from the wallet.
  case cardRemoved
  /// The issuer has blocked an application of the card, in another payment.
  case blockedByIssuer
  /// The store of the wallet was removed.
  case storeRemoved
  /// Another process has withdrawn a right, and the store does not show which.
  case walletChanged
  /// The app has ended it, for this reason.
  case ended(String)
}

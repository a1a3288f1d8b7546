public import DeviceAuthentication

/// What a payment with an armed card needs of its store. Another process may change it.
public struct CardStatus: Equatable, Sendable {
  /// The key of the device to which the store is bound; nil for a store that was wiped.
  public let key: KeyIdentifier?
  /// The state of the card; nil for a card that was removed.
  public let state: DigitalCard.State?
  /// The block of the issuer since the latest reservation of the card through this store object; nil without one.
  public let block: IssuerBlock?

  /// A block of a card or of an application (APPLICATION BLOCK, CARD BLOCK), by the payment whose terminal brought it.
  public enum IssuerBlock: Int, Sendable {
    /// That of the reservation. It goes on: its terminal still waits for responses, and the card itself declines.
    case byOwnPayment = 1
    /// Another payment, in another process. This one must end, since its card was armed before the block.
    case byOtherPayment = 2
  }

  /// Creates a status.
  public init(key: KeyIdentifier?, state: DigitalCard.State?, block: IssuerBlock? = nil) {
    self.key = key
    self.state = state
    self.block = block
  }

  /// Why a payment under a key must end; nil when it may go on.
  func revocation(under key: KeyIdentifier?) -> PaymentRevocation? {
    guard let key, self.key == key else { return .walletWasReset }
    switch state {
    case .active: return block == .byOtherPayment ? .blockedByIssuer : nil
    // CARD BLOCK retires the card.
    case .retired where block == .byOwnPayment: return nil
    case .inactive, .suspended, .retired: return state.map(PaymentRevocation.cardChanged)
    case nil: return .cardRemoved
    }
  }
}

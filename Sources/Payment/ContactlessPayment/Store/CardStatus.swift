public import DeviceAuthentication

/// What a payment with an armed card needs of its store. Another process may change it.
public struct CardStatus: Equatable, Sendable {
  /// The key of the device to which the store is bound; nil for a store that was wiped.
  public let key: KeyIdentifier?
  /// The state of the card; nil for a card that was removed.
  public let state: DigitalCard.State?

  /// Creates a status.
  public init(key: KeyIdentifier?, state: DigitalCard.State?) {
    self.key = key
    self.state = state
  }

  /// Why a payment under a key must end; nil when it may go on.
  func revocation(under key: KeyIdentifier?) -> PaymentRevocation? {
    guard let key, self.key == key else { return .walletWasReset }
    switch state {
    case .active: return nil
    case .inactive, .suspended, .retired: return state.map(PaymentRevocation.cardChanged)
    case nil: return .cardRemoved
    }
  }
}

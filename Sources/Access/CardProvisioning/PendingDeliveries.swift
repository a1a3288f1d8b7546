/// The port to the identifiers of deliveries whose answer was not stored yet. They survive a crash, so that a repeated
/// request delivers what the lost answer had.
public protocol PendingDeliveries: Sendable {
  /// Returns the identifier of a pending delivery, or makes a new one and stores it durably.
  ///
  /// - Parameter purpose: What is delivered, such as `keys` of a card.
  func identifier(for purpose: DeliveryPurpose) async throws(ProvisioningError) -> String

  /// Removes the identifier of a delivery that is stored in the wallet.
  func finish(_ purpose: DeliveryPurpose) async throws(ProvisioningError)
}

/// What is delivered.
public enum DeliveryPurpose: Hashable, Sendable {
  /// A card of a profile; nil for the issuer's first profile.
  case card(profile: String?)
  /// Further keys of a card.
  case keys(card: String)

  /// The text in the storage.
  public var text: String {
    switch self {
    case .card(let profile): "card:" + (profile ?? "")
    case .keys(let card): "keys:" + card
    }
  }
}

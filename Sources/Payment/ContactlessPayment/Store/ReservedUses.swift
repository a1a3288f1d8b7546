public import Ciphers
public import EMVCard

/// The identifier of a reservation in its store.
public struct ReservationID: Hashable, Sendable {
  /// The number that the store gave it.
  public let rawValue: UInt64

  /// Creates an identifier.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }
}

/// One reserved use per application: the counters and the keys of the payment.
public struct ReservedUses: ~Copyable, Sendable {
  /// The reservation to settle.
  public let id: ReservationID
  /// The transaction counters, tag 9F36, one per application of the image.
  public let counters: [UInt16]
  /// What is stored for the card when the uses are reserved; nil for a card as its issuer made it.
  public let cardState: CardState?
  /// For each application what the payment may approve without its issuer; nothing when empty. The reservation counts it until
  /// it is settled.
  public let offline: [OfflineApprovals]
  let keys: TripleDESKeys
  /// The card's key for signatures; nil for a card that makes none.
  let signingKey: CardSigningKey?

  /// Creates the uses. For stores.
  ///
  /// - Parameters:
  ///   - id: The reservation to settle.
  ///   - counters: The transaction counters, one per application.
  ///   - keys: The keys of the payment: one per role of each application, as many as `CardImage.keyCount`.
  ///   - signingKey: The card's key for signatures; nil for a card that makes none.
  ///   - cardState: What is stored for the card; nil for a card as its issuer made it.
  ///   - offline: For each application what the payment may approve without its issuer; empty for nothing.
  public init(
    id: ReservationID, counters: [UInt16], keys: consuming TripleDESKeys, signingKey: CardSigningKey? = nil,
    cardState: CardState? = nil, offline: [OfflineApprovals] = []
  ) {
    self.id = id
    self.counters = counters
    self.keys = keys
    self.signingKey = signingKey
    self.cardState = cardState
    self.offline = offline
  }

  /// Whether state and offline approvals have as many applications as a card.
  func hasState(of image: CardImage) -> Bool {
    let count = image.applications.count
    return cardState?.applications.count ?? count == count && (offline.isEmpty || offline.count == count)
  }

  /// Derives the keys of a payment. The store has checked the material.
  package init(
    id: ReservationID, of image: CardImage, counters: [UInt16], materials: [KeyMaterial], signingKey: CardSigningKey?,
    cardState: CardState?, offline: [OfflineApprovals]
  ) {
    let places = image.applications.indices.flatMap { application in
      image.applications[application].keyRoles.map { (application, $0) }
    }
    let keys = TripleDESKeys(count: places.count) { place in
      let (application, role) = places[place]
      return materials[application].paymentKey(
        role, image.applications[application].cryptogramVersion, counters[application])
    }
    self.init(
      id: id, counters: counters, keys: keys, signingKey: signingKey, cardState: cardState, offline: offline)
  }
}

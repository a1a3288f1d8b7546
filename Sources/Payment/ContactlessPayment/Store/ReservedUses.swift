public import Ciphers
package import EMVCard

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
  public init(
    id: ReservationID, counters: [UInt16], keys: consuming TripleDESKeys, signingKey: CardSigningKey? = nil
  ) {
    self.id = id
    self.counters = counters
    self.keys = keys
    self.signingKey = signingKey
  }

  /// Derives the keys of a payment. The store has checked the material.
  package init(
    id: ReservationID, of image: CardImage, counters: [UInt16], materials: [KeyMaterial], signingKey: CardSigningKey?
  ) {
    let places = image.applications.indices.flatMap { application in
      image.applications[application].keyRoles.map { (application, $0) }
    }
    let keys = TripleDESKeys(count: places.count) { place in
      let (application, role) = places[place]
      return materials[application].paymentKey(
        role, image.applications[application].cryptogramVersion, counters[application])
    }
    self.init(id: id, counters: counters, keys: keys, signingKey: signingKey)
  }
}

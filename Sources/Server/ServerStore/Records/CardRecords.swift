package import AccessMessages

/// A digital card that the issuer made for one device.
package struct IssuedCardRecord: StoredRecord, Hashable {
  package static let table = RecordTable("card", identity: ["id"])

  /// The identifier, chosen by the server.
  package var id: String
  /// The identifier of the device that holds the card.
  package var device: String
  /// The user of the wallet.
  package var account: String
  /// The identifier of the delivery with which the wallet asked for the card. The pair of device and delivery is unique.
  package var delivery: String
  /// The name of the profile.
  package var name: String
  /// The profile of the card with its own account numbers, as JSON.
  package var profile: String
  /// Whether it may pay.
  package var state = CardEntry.State.active
  /// The generation of the issuer's keys with which it was made: its signing key is one of it.
  package var generation = 1
  /// When it was made.
  package var createdAt: Int64

  /// Creates a record.
  package init(
    id: String, device: String, account: String, delivery: String, name: String, profile: String,
    state: CardEntry.State = .active, generation: Int = 1, createdAt: Int64
  ) {
    (self.id, self.device, self.account, self.delivery) = (id, device, account, delivery)
    (self.name, self.profile, self.state, self.generation) = (name, profile, state, generation)
    self.createdAt = createdAt
  }
}

extension CardEntry.State: StoredValue {}

/// The counters of one application of a card: a line of the issuer's ledger.
package struct CardApplicationRecord: StoredRecord, Hashable {
  package static let table = RecordTable("cardApplication", identity: ["accountNumber", "sequenceNumber"])

  /// The account number, 8 to 19 digits. The pair of account number and sequence number is unique in the store.
  package var accountNumber: String
  /// The byte of tag 5F34, 0...255; 0 without the tag.
  package var sequenceNumber: Int
  /// The identifier of the card.
  package var card: String
  /// The position of the application in the profile of the card.
  package var place: Int
  /// The highest counter that was used in a payment; nil before the first payment.
  package var lastCounter: Int?
  /// The lowest counter that was never granted: 1...65536.
  package var freeCounter: Int

  /// Creates a record.
  package init(
    accountNumber: String, sequenceNumber: Int, card: String, place: Int, lastCounter: Int? = nil, freeCounter: Int
  ) {
    (self.accountNumber, self.sequenceNumber, self.card) = (accountNumber, sequenceNumber, card)
    (self.place, self.lastCounter, self.freeCounter) = (place, lastCounter, freeCounter)
  }
}

/// The counters of one application that were granted with one delivery. The keys are not stored: the issuer derives them
/// again when the delivery is repeated.
package struct KeyDeliveryRecord: StoredRecord, Hashable {
  package static let table = RecordTable("keyDelivery", identity: ["card", "delivery", "place"])

  /// The identifier of the card.
  package var card: String
  /// The identifier of the delivery, chosen by the wallet.
  package var delivery: String
  /// The position of the application in the profile of the card.
  package var place: Int
  /// The first counter: 1...65535.
  package var firstCounter: Int
  /// The number of counters: 1...65535.
  package var uses: Int
  /// The generation of the issuer's keys from which its keys are derived.
  package var generation = 1
  /// When they were granted.
  package var createdAt: Int64

  /// Creates a record.
  package init(
    card: String, delivery: String, place: Int, firstCounter: Int, uses: Int, generation: Int = 1, createdAt: Int64
  ) {
    (self.card, self.delivery, self.place) = (card, delivery, place)
    (self.firstCounter, self.uses, self.generation) = (firstCounter, uses, generation)
    self.createdAt = createdAt
  }
}

/// A payment of a card that a terminal asked the issuer to authorise.
package struct CardPaymentRecord: StoredRecord, Hashable {
  package static let table = RecordTable("cardPayment", identity: [])

  /// The identifier of the card.
  package var card: String
  /// The payment, whose properties are columns too.
  package var payment: CardPayments.Entry

  /// Creates a record.
  package init(card: String, payment: CardPayments.Entry) {
    (self.card, self.payment) = (card, payment)
  }
}

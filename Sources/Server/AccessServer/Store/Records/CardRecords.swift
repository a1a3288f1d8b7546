internal import AccessMessages

/// A digital card that the issuer made for one device.
struct CardRecord: StoredRecord, Hashable {
  static let table = RecordTable("card", identity: ["id"])

  /// The identifier, chosen by the server.
  var id: String
  /// The identifier of the device that holds the card.
  var device: String
  /// The user of the wallet.
  var account: String
  /// The identifier of the delivery with which the wallet asked for the card. The pair of device and delivery is unique.
  var delivery: String
  /// The name of the profile.
  var name: String
  /// The profile of the card with its own account numbers, as JSON.
  var profile: String
  /// Whether it may pay.
  var state = CardEntry.State.active
  /// The generation of the issuer's keys with which it was made: its signing key is one of it.
  var generation = 1
  /// When it was made.
  var createdAt: Int64
}

extension CardEntry.State: StoredValue {}

/// The counters of one application of a card: a line of the issuer's ledger.
struct CardApplicationRecord: StoredRecord, Hashable {
  static let table = RecordTable("cardApplication", identity: ["accountNumber", "sequenceNumber"])

  /// The account number, 8 to 19 digits. The pair of account number and sequence number is unique in the store.
  var accountNumber: String
  /// The byte of tag 5F34, 0...255; 0 without the tag.
  var sequenceNumber: Int
  /// The identifier of the card.
  var card: String
  /// The position of the application in the profile of the card.
  var place: Int
  /// The highest counter that was used in a payment; nil before the first payment.
  var lastCounter: Int?
  /// The lowest counter that was never granted: 1...65536.
  var freeCounter: Int
}

/// The counters of one application that were granted with one delivery. The keys are not stored: the issuer derives them
/// again when the delivery is repeated.
struct KeyDeliveryRecord: StoredRecord, Hashable {
  static let table = RecordTable("keyDelivery", identity: ["card", "delivery", "place"])

  /// The identifier of the card.
  var card: String
  /// The identifier of the delivery, chosen by the wallet.
  var delivery: String
  /// The position of the application in the profile of the card.
  var place: Int
  /// The first counter: 1...65535.
  var firstCounter: Int
  /// The number of counters: 1...65535.
  var uses: Int
  /// The generation of the issuer's keys from which its keys are derived.
  var generation = 1
  /// When they were granted.
  var createdAt: Int64
}

/// A payment of a card that a terminal asked the issuer to authorise.
struct CardPaymentRecord: StoredRecord, Hashable {
  static let table = RecordTable("cardPayment", identity: [])

  /// The identifier of the card.
  var card: String
  /// The payment, whose properties are columns too.
  var payment: CardPayments.Entry
}

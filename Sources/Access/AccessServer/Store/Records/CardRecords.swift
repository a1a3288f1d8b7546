/// A digital card that the issuer made for one device.
public struct CardRecord: Hashable, Sendable {
  /// Whether a card may pay.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The card may pay.
    case active
    /// An operator has stopped the card until it is resumed.
    case suspended
    /// The card was stopped for good.
    case deleted
  }

  /// The identifier, chosen by the server.
  public var id: String
  /// The identifier of the device that holds the card.
  public var device: String
  /// The user of the wallet.
  public var account: String
  /// The identifier of the delivery with which the wallet asked for the card. The pair of device and delivery is unique.
  public var delivery: String
  /// The name of the profile.
  public var name: String
  /// The profile of the card with its own account numbers, as JSON.
  public var profile: String
  /// Whether it may pay.
  public var state: State
  /// When it was made.
  public var createdAt: Int64

  /// Creates a record.
  public init(
    id: String, device: String, account: String, delivery: String, name: String, profile: String,
    state: State = .active, createdAt: Int64
  ) {
    (self.id, self.device, self.account, self.delivery) = (id, device, account, delivery)
    (self.name, self.profile, self.state, self.createdAt) = (name, profile, state, createdAt)
  }
}

/// The counters of one application of a card: a line of the issuer's ledger.
public struct CardApplicationRecord: Hashable, Sendable {
  /// The account number, 8 to 19 digits. The pair of account number and sequence number is unique in the store.
  public var accountNumber: String
  /// The byte of tag 5F34, 0...255; 0 without the tag.
  public var sequenceNumber: Int
  /// The identifier of the card.
  public var card: String
  /// The position of the application in the profile of the card.
  public var place: Int
  /// The highest counter that was used in a payment; nil before the first payment.
  public var lastCounter: Int?
  /// The lowest counter that was never granted: 1...65536.
  public var freeCounter: Int

  /// Creates a record.
  public init(
    accountNumber: String, sequenceNumber: Int, card: String, place: Int, lastCounter: Int? = nil, freeCounter: Int
  ) {
    (self.accountNumber, self.sequenceNumber) = (accountNumber, sequenceNumber)
    (self.card, self.place) = (card, place)
    (self.lastCounter, self.freeCounter) = (lastCounter, freeCounter)
  }
}

/// The counters of one application that were granted with one delivery. The keys are not stored: the issuer derives them
/// again when the delivery is repeated.
public struct KeyDeliveryRecord: Hashable, Sendable {
  /// The identifier of the card.
  public var card: String
  /// The identifier of the delivery, chosen by the wallet.
  public var delivery: String
  /// The position of the application in the profile of the card.
  public var place: Int
  /// The first counter: 1...65535.
  public var firstCounter: Int
  /// The number of counters: 1...65535.
  public var uses: Int
  /// When they were granted.
  public var createdAt: Int64

  /// Creates a record.
  public init(card: String, delivery: String, place: Int, firstCounter: Int, uses: Int, createdAt: Int64) {
    (self.card, self.delivery, self.place) = (card, delivery, place)
    (self.firstCounter, self.uses, self.createdAt) = (firstCounter, uses, createdAt)
  }
}

/// A payment of a card that a terminal asked the issuer to authorise.
public struct CardPaymentRecord: Hashable, Sendable {
  /// The identifier of the card.
  public var card: String
  /// When it was asked for.
  public var at: Int64
  /// The amount in the smallest unit of the currency.
  public var amount: Int64
  /// The number of the currency (ISO 4217), 0...999.
  public var currency: Int
  /// The transaction counter of the card, 0...65535.
  public var counter: Int
  /// Whether the issuer approved.
  public var isApproved: Bool
  /// The authorisation response code (ISO 8583), two characters.
  public var responseCode: String

  /// Creates a record.
  public init(
    card: String, at: Int64, amount: Int64, currency: Int, counter: Int, isApproved: Bool, responseCode: String
  ) {
    (self.card, self.at, self.amount, self.currency) = (card, at, amount, currency)
    (self.counter, self.isApproved, self.responseCode) = (counter, isApproved, responseCode)
  }
}

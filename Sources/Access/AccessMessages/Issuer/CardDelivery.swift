public import Documents
public import JSON

/// Asks for a card with its first keys.
public struct CardAddition: JSONMessage, Hashable {
  /// The name of the profile; nil for the first one of the server.
  public var profile: String?
  /// The identifier of the delivery, chosen by the wallet. A repeated request with the same identifier delivers the same
  /// card and the same keys.
  public var delivery: String

  /// The lengths of an identifier of a delivery, in characters.
  public static let deliveryRange = 16...64

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(profile:delivery:),
    .text("profile", \.profile, 1...64),
    .text("delivery", \.delivery, deliveryRange))

  /// Creates a body.
  public init(profile: String? = nil, delivery: String) { (self.profile, self.delivery) = (profile, delivery) }
}

/// Asks for further keys of a card.
public struct KeyRequest: Hashable, Sendable {
  /// The identifier of the delivery, as in `CardAddition`.
  public var delivery: String
  /// For each application the lowest transaction counter that the wallet has neither used nor received: 1...65536.
  public var freeCounters: [Int]

  /// Creates a body.
  public init(delivery: String, freeCounters: [Int]) {
    (self.delivery, self.freeCounters) = (delivery, freeCounters)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    delivery = try reader.text("delivery", CardAddition.deliveryRange)
    freeCounters = try reader.list("freeCounters", transactionCounter)
  }

  /// The body as JSON.
  public var json: JSONValue {
    ["delivery": JSONValue(delivery), "freeCounters": JSONValue(freeCounters.map { JSONValue($0) })]
  }
}

/// A delivery: the card, and an envelope that only the device can open.
public struct CardDelivery: JSONMessage, Hashable {
  /// The card.
  public var card: CardEntry
  /// A JWE (RFC 7516) in compact serialization, encrypted to the encryption key of the device. Its content is a
  /// `CardEnvelope`.
  public var envelope: String

  /// The most characters of an envelope: 512 KiB.
  public static let maximumEnvelopeCount = 524_288

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(card:envelope:),
    .value("card", \.card),
    .text("envelope", \.envelope, 1...maximumEnvelopeCount))

  /// Creates a body.
  public init(card: CardEntry, envelope: String) { (self.card, self.envelope) = (card, envelope) }
}

/// The payments of a card, newest first.
public struct CardPayments: JSONMessage, Hashable {
  /// A payment that a terminal asked the issuer to authorise. The server stores it under the names of the properties.
  public struct Entry: JSONMessage, Hashable, Codable {
    /// When it was asked for, in milliseconds since 1970.
    public var at: Int64
    /// The amount in the smallest unit of the currency.
    public var amount: Int64
    /// The number of the currency (ISO 4217), 0 to 999.
    public var currency: Int
    /// The transaction counter of the card.
    public var counter: Int
    /// Whether the issuer approved.
    public var isApproved: Bool
    /// The authorisation response code (ISO 8583), two characters.
    public var responseCode: String

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(at:amount:currency:counter:isApproved:responseCode:),
      .number("at", \.at),
      .number("amount", \.amount),
      .number("currency", \.currency, 0...999),
      .number("counter", \.counter, 0...0xFFFF),
      .flag("approved", \.isApproved),
      .text("responseCode", \.responseCode, 2...2))

    /// Creates an entry.
    public init(
      at: Int64, amount: Int64, currency: Int, counter: Int, isApproved: Bool, responseCode: String
    ) {
      (self.at, self.amount, self.currency) = (at, amount, currency)
      (self.counter, self.isApproved, self.responseCode) = (counter, isApproved, responseCode)
    }
  }

  /// The payments.
  public var payments: [Entry]

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:),
    .list("payments", \.payments))

  /// Creates a body.
  public init(_ payments: [Entry]) { self.payments = payments }
}

/// Reads a transaction counter, or 65536, which is above the highest.
private func transactionCounter(_ json: JSONValue, _ path: String) throws(DocumentError) -> Int {
  guard let counter = json.integer, (1...0x1_0000).contains(counter) else {
    throw DocumentError(path, at: json.position, "must be a whole number of 1 to 65536")
  }
  return counter
}

extension MessageField where Value == [Int]? {
  /// A transaction counter for each application.
  static func counters(_ name: String, _ path: Property) -> MessageField {
    custom(
      name, path, read: { (reader) throws(DocumentError) in try reader.optionalList(name, transactionCounter) }
    ) { $0.map { JSONValue($0.map { JSONValue($0) }) } }
  }
}

public import FIDOUAF
public import JSON

/// Asks for a card with its first keys.
public struct CardAddition: Hashable, Sendable {
  /// The name of the profile; nil for the first one of the server.
  public var profile: String?
  /// The identifier of the delivery, chosen by the wallet. A repeated request with the same identifier delivers the same
  /// card and the same keys.
  public var delivery: String

  /// The lengths of an identifier of a delivery, in characters.
  public static let deliveryRange = 16...64

  /// Creates a body.
  public init(profile: String? = nil, delivery: String) { (self.profile, self.delivery) = (profile, delivery) }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    profile = try reader.optionalText("profile", 1...64)
    delivery = try reader.text("delivery", Self.deliveryRange)
  }

  /// The body as JSON.
  public var json: JSONValue {
    JSONValue(members: [("profile", profile.map { JSONValue($0) }), ("delivery", JSONValue(delivery))])
  }
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
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    delivery = try reader.text("delivery", CardAddition.deliveryRange)
    freeCounters = try reader.list("freeCounters") { (json, path) throws(UAFMessageError) in
      guard let counter = json.integer, (1...0x1_0000).contains(counter) else {
        throw UAFMessageError(path, "must be a whole number of 1 to 65536")
      }
      return counter
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    ["delivery": JSONValue(delivery), "freeCounters": JSONValue(freeCounters.map { JSONValue($0) })]
  }
}

/// A delivery: the card, and an envelope that only the device can open.
public struct CardDelivery: Hashable, Sendable {
  /// The card.
  public var card: CardEntry
  /// A JWE (RFC 7516) in compact serialization, encrypted to the encryption key of the device. Its content is a
  /// `CardEnvelope`.
  public var envelope: String

  /// The most characters of an envelope: 512 KiB.
  public static let maximumEnvelopeCount = 524_288

  /// Creates a body.
  public init(card: CardEntry, envelope: String) { (self.card, self.envelope) = (card, envelope) }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    card = try reader.object("card") { (json, path) throws(UAFMessageError) in try CardEntry(json, at: path) }
    envelope = try reader.text("envelope", 1...Self.maximumEnvelopeCount)
  }

  /// The body as JSON.
  public var json: JSONValue { ["card": card.json, "envelope": JSONValue(envelope)] }
}

/// The payments of a card, newest first.
public struct CardPayments: Hashable, Sendable {
  /// A payment that a terminal asked the issuer to authorise.
  public struct Entry: Hashable, Sendable {
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

  /// Creates a body.
  public init(_ payments: [Entry]) { self.payments = payments }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    payments = try DictionaryReader(json).list("payments") { (json, path) throws(UAFMessageError) in
      let reader = try DictionaryReader(json, at: path)
      return Entry(
        at: Int64(try reader.number("at", 0...Int.max)), amount: Int64(try reader.number("amount", 0...Int.max)),
        currency: try reader.number("currency", 0...999), counter: try reader.number("counter", 0...0xFFFF),
        isApproved: try reader.flag("approved"), responseCode: try reader.text("responseCode", 2...2))
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    let list = payments.map { payment -> JSONValue in
      [
        "at": JSONValue(payment.at), "amount": JSONValue(payment.amount), "currency": JSONValue(payment.currency),
        "counter": JSONValue(payment.counter), "approved": JSONValue(payment.isApproved),
        "responseCode": JSONValue(payment.responseCode),
      ]
    }
    return ["payments": JSONValue(list)]
  }
}

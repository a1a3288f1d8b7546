public import Documents
internal import JOSE
public import JSON

/// The content of the envelope of a delivery: payment keys, and for a new card its data and its signing key. It is secret.
public struct CardEnvelope: JSONMessage {
  /// The keys of one application.
  public enum Keys: MessageValue {
    /// A key of the card for a number of payments.
    ///
    /// - Parameters:
    ///   - masterKey: The card's master key for application cryptograms, 16 bytes.
    ///   - cvc3Key: The card's key for dynamic CVC3, 16 bytes; nil without a mag-stripe mode.
    ///   - scriptKey: The card's master key for the integrity of issuer scripts, 16 bytes; nil for a card that takes none.
    ///   - firstCounter: The counter of the first payment, 1...65535.
    ///   - uses: The number of payments, 1...65535.
    case limitedUse(masterKey: [UInt8], cvc3Key: [UInt8]?, scriptKey: [UInt8]? = nil, firstCounter: Int, uses: Int)
    /// A key of 16 bytes for each payment, with rising counters.
    ///
    /// - Parameter firstCounter: The counter of the first key, 1...65535.
    case singleUse([[UInt8]], firstCounter: Int)

    /// The counter of the first payment.
    public var firstCounter: Int {
      switch self {
      case .limitedUse(_, _, _, let counter, _), .singleUse(_, let counter): counter
      }
    }
  }

  /// The private key with which a card signs, RSA: the numbers of RFC 7518, 6.3, big-endian.
  public struct SigningKey: MessageValue {
    /// The public exponent, `e`: 1 to 3 bytes.
    public var exponent: [UInt8]
    /// The first prime, `p`: 32 to 124 bytes.
    public var p: [UInt8]
    /// The second prime, `q`: as many bytes as the first one.
    public var q: [UInt8]

    /// Creates a key.
    public init(exponent: [UInt8], p: [UInt8], q: [UInt8]) { (self.exponent, self.p, self.q) = (exponent, p, q) }

    /// Reads a key.
    public init(_ json: JSONValue, at path: String) throws(DocumentError) {
      let reader = try StrictReader(json, at: path)
      exponent = try reader.octets("e", 1...3)
      p = try reader.octets("p", 32...124)
      q = try reader.octets("q", p.count...p.count)
    }

    /// The key as JSON.
    public var json: JSONValue {
      ["e": JSONValue(exponent.base64URL), "p": JSONValue(p.base64URL), "q": JSONValue(q.base64URL)]
    }
  }

  /// The identifier of the card.
  public var card: String
  /// The identifier of the delivery.
  public var delivery: String
  /// The card needs replenishment when so many payments are left, or fewer: 0...65535.
  public var threshold: Int
  /// The profile of the card with its account numbers, as JSON; nil in a delivery of further keys.
  public var profile: String?
  /// The keys, one batch for each application of the profile.
  public var keys: [Keys]
  /// The key that the certificates of the profile certify, one for the card; nil for a card that makes no signatures, and in
  /// a delivery of further keys.
  public var signingKey: SigningKey?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(card:delivery:threshold:profile:keys:signingKey:),
    .text("card", \.card, 1...64),
    .text("delivery", \.delivery, CardAddition.deliveryRange),
    .number("threshold", \.threshold, 0...0xFFFF),
    .text("profile", \.profile, 1...262_144),
    .list("keys", \.keys),
    .value("signingKey", \.signingKey))

  /// Creates a content.
  public init(
    card: String, delivery: String, threshold: Int, profile: String? = nil, keys: [Keys], signingKey: SigningKey? = nil
  ) {
    (self.card, self.delivery, self.threshold) = (card, delivery, threshold)
    (self.profile, self.keys, self.signingKey) = (profile, keys, signingKey)
  }

  /// The most keys of a batch.
  public static let maximumKeyCount = 1_000
  static let keyCount = 16...16
}

extension CardEnvelope.Keys {
  /// Reads keys.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    let reader = try StrictReader(json, at: path)
    let firstCounter = try reader.number("firstCounter", 1...0xFFFF)
    switch try reader.text("kind", 1...16) {
    case "limitedUse":
      func optionalKey(_ name: String) throws(DocumentError) -> [UInt8]? {
        json[name] == nil ? nil : try reader.octets(name, CardEnvelope.keyCount)
      }
      self = .limitedUse(
        masterKey: try reader.octets("masterKey", CardEnvelope.keyCount), cvc3Key: try optionalKey("cvc3Key"),
        scriptKey: try optionalKey("scriptKey"), firstCounter: firstCounter,
        uses: try reader.number("uses", 1...0x1_0000 - firstCounter))
    case "singleUse":
      let keys = try reader.octets("sessionKeys", 16...16 * CardEnvelope.maximumKeyCount)
      guard keys.count % 16 == 0, keys.count / 16 <= 0x1_0000 - firstCounter else {
        throw reader.error("sessionKeys", "must have 16 bytes for each counter up to 65535")
      }
      self = .singleUse(
        stride(from: 0, to: keys.count, by: 16).map { Array(keys[$0..<$0 + 16]) }, firstCounter: firstCounter)
    default: throw reader.error("kind", "must be limitedUse or singleUse")
    }
  }

  /// The keys as JSON.
  public var json: JSONValue {
    switch self {
    case .limitedUse(let masterKey, let cvc3Key, let scriptKey, let firstCounter, let uses):
      JSONValue(members: [
        ("kind", "limitedUse"), ("firstCounter", JSONValue(firstCounter)), ("uses", JSONValue(uses)),
        ("masterKey", JSONValue(masterKey.base64URL)), ("cvc3Key", cvc3Key.map { JSONValue($0.base64URL) }),
        ("scriptKey", scriptKey.map { JSONValue($0.base64URL) }),
      ])
    case .singleUse(let keys, let firstCounter):
      [
        "kind": "singleUse", "firstCounter": JSONValue(firstCounter),
        "sessionKeys": JSONValue(keys.flatMap { $0 }.base64URL),
      ]
    }
  }
}

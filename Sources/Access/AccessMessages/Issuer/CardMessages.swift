public import FIDOUAF
public import JSON

/// A card, for its wallet and for the operator. It has no account number.
public struct CardEntry: Hashable, Sendable {
  /// Whether a card may pay.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The card may pay.
    case active
    /// The issuer has stopped the card until it is resumed.
    case suspended
    /// The issuer has stopped the card for good.
    case deleted
  }

  /// The identifier, chosen by the server, 1 to 64 characters.
  public var id: String
  /// The name of the profile, 1 to 64 characters.
  public var name: String
  /// Whether it may pay.
  public var state: State
  /// The last four digits of its account number.
  public var lastDigits: String
  /// The identifier of the device that holds it; nil in the list of the wallet itself.
  public var device: String?
  /// When it was made, in milliseconds since 1970.
  public var createdAt: Int64

  /// Creates an entry.
  public init(
    id: String, name: String, state: State, lastDigits: String, device: String? = nil, createdAt: Int64
  ) {
    (self.id, self.name, self.state) = (id, name, state)
    (self.lastDigits, self.device, self.createdAt) = (lastDigits, device, createdAt)
  }

  /// Reads an entry.
  public init(_ json: JSONValue, at path: String = "$") throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: path)
    id = try reader.text("id", 1...64)
    name = try reader.text("name", 1...64)
    guard let state = State(rawValue: try reader.text("state", 1...16)) else {
      throw reader.error("state", "is unknown")
    }
    self.state = state
    lastDigits = try reader.text("lastDigits", 4...4)
    device = try reader.optionalText("device", DispatchTarget.deviceIDRange)
    createdAt = Int64(try reader.number("createdAt", 0...Int.max))
  }

  /// The entry as JSON.
  public var json: JSONValue {
    JSONValue(members: [
      ("id", JSONValue(id)), ("name", JSONValue(name)), ("state", JSONValue(state.rawValue)),
      ("lastDigits", JSONValue(lastDigits)), ("device", device.map { JSONValue($0) }),
      ("createdAt", JSONValue(createdAt)),
    ])
  }
}

/// Cards, the oldest first.
public struct CardList: Hashable, Sendable {
  /// The cards.
  public var cards: [CardEntry]
  /// The names of the profiles of which the wallet can add a card; nil in the list for an operator.
  public var profiles: [String]?
  /// The identifier to ask for the next page with; nil after the last.
  public var next: String?

  /// Creates a body.
  public init(_ cards: [CardEntry], profiles: [String]? = nil, next: String? = nil) {
    (self.cards, self.profiles, self.next) = (cards, profiles, next)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    cards = try reader.list("cards") { (json, path) throws(UAFMessageError) in try CardEntry(json, at: path) }
    profiles = try reader.optionalList("profiles") { (json, path) throws(UAFMessageError) in
      guard let name = json.text else { throw UAFMessageError(path, "must be text") }
      return name
    }
    next = try reader.optionalText("next", 1...64)
  }

  /// The body as JSON.
  public var json: JSONValue {
    JSONValue(members: [
      ("cards", JSONValue(cards.map(\.json))),
      ("profiles", profiles.map { JSONValue($0.map { JSONValue($0) }) }), ("next", next.map { JSONValue($0) }),
    ])
  }
}

/// Suspends or resumes a card.
public struct CardStateChange: Hashable, Sendable {
  /// The new state: `active` or `suspended`.
  public var state: CardEntry.State

  /// Creates a body.
  public init(_ state: CardEntry.State) { self.state = state }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    guard let state = CardEntry.State(rawValue: try reader.text("state", 1...16)), state != .deleted else {
      throw reader.error("state", "must be active or suspended")
    }
    self.state = state
  }

  /// The body as JSON.
  public var json: JSONValue { ["state": JSONValue(state.rawValue)] }
}

public import Documents
public import JSON

/// A card, for its wallet and for the operator. It has no account number.
public struct CardEntry: JSONMessage, Hashable {
  /// Whether a card may pay.
  public enum State: String, Hashable, Sendable, CaseIterable, Codable {
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
  /// Whether the issuer lifts the blocks of its applications (APPLICATION UNBLOCK): a blocked application asks no issuer, so its
  /// wallet lifts them. False in the list for an operator.
  public var isUnblocked: Bool
  /// For each application the lowest transaction counter whose keys the issuer accepts, 1...65536, and 65536 where it accepts
  /// none: after a restored backup, and after keys were rotated. Nil when all keys of the card are accepted, and in the list
  /// for an operator.
  public var acceptedFrom: [Int]?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(id:name:state:lastDigits:device:createdAt:isUnblocked:acceptedFrom:),
    .text("id", \.id, 1...64),
    .text("name", \.name, 1...64),
    .choice("state", \.state),
    .text("lastDigits", \.lastDigits, 4...4),
    .text("device", \.device, DispatchTarget.deviceIDRange),
    .number("createdAt", \.createdAt),
    .raisedFlag("unblocked", \.isUnblocked),
    .counters("acceptedFrom", \.acceptedFrom))

  /// Creates an entry.
  public init(
    id: String, name: String, state: State, lastDigits: String, device: String? = nil, createdAt: Int64,
    isUnblocked: Bool = false, acceptedFrom: [Int]? = nil
  ) {
    (self.id, self.name, self.state) = (id, name, state)
    (self.lastDigits, self.device, self.createdAt) = (lastDigits, device, createdAt)
    (self.isUnblocked, self.acceptedFrom) = (isUnblocked, acceptedFrom)
  }
}

/// Cards, the oldest first.
public struct CardList: JSONMessage, Hashable {
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

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(_:profiles:next:),
    .list("cards", \.cards),
    .texts("profiles", \.profiles, 0...Int.max),
    .text("next", \.next, 1...64))
}

/// Suspends or resumes a card.
public struct CardSuspension: Hashable, Sendable {
  /// The new state: `active` or `suspended`.
  public var state: CardEntry.State

  /// Creates a body.
  public init(_ state: CardEntry.State) { self.state = state }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    guard let state = CardEntry.State(rawValue: try reader.text("state", 1...16)), state != .deleted else {
      throw reader.error("state", "must be active or suspended")
    }
    self.state = state
  }

  /// The body as JSON.
  public var json: JSONValue { ["state": JSONValue(state.rawValue)] }
}

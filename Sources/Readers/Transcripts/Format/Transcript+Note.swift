extension Transcript {
  /// The name of a directive.
  public struct Key: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name: a to z, 0 to 9 and `-`.
    public let rawValue: String

    /// Creates a key; nil for an empty name or one with another character.
    public init?(rawValue: String) {
      let allowed = rawValue.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
      }
      guard !rawValue.isEmpty, allowed else { return nil }
      self.rawValue = rawValue
    }

    /// Creates a key from a literal. An empty name, or one with another character, traps.
    public init(stringLiteral value: String) {
      guard let key = Key(rawValue: value) else {
        preconditionFailure("the key of a directive holds a to z, 0 to 9 and - only: \(value)")
      }
      self = key
    }

    /// The version of the directives.
    public static let version: Key = "contactless-transcript"
    /// The side that recorded.
    public static let role: Key = "role"
    /// The time of the transaction.
    public static let clock: Key = "clock"
    /// The random bytes that were drawn.
    public static let random: Key = "random"
    /// The terminal's profile.
    public static let terminal: Key = "terminal"
    /// The card's profile.
    public static let card: Key = "card"
    /// The amount as decimal text.
    public static let amount: Key = "amount"
    /// The part of the amount that was paid out in cash; left out for none.
    public static let cashback: Key = "cashback"
    /// The currency's number.
    public static let currency: Key = "currency"
    /// The number of exchanges, in the head.
    public static let exchangeCount: Key = "exchanges"
    /// The number of exchanges, at the end.
    public static let end: Key = "end"
    /// The transaction type.
    public static let type: Key = "type"
    /// The card's transaction counter before the tap.
    public static let transactionCounter: Key = "atc"
    /// How the payment or session ended.
    public static let outcome: Key = "outcome"
    /// The host's response; left out when it was not asked.
    public static let host: Key = "host"
    /// The results of offline data authentication; left out when it was not performed.
    public static let authentication: Key = "authentication"
    /// What the terminal's log held of the cards; left out for a terminal without a log.
    public static let log: Key = "log"
    /// `timed out` when the removal time-out had passed before the host's response came; else left out.
    public static let removal: Key = "removal"
    /// How many restarts the terminal allowed; left out when there was none.
    public static let restarts: Key = "restarts"
    /// A field event.
    public static let field: Key = "field"
    /// The time of a command.
    public static let instant: Key = "at"
    /// The time from a command to its response.
    public static let time: Key = "t"
    /// Why an exchange stands in the recording that was not recorded.
    public static let assumed: Key = "assumed"
    /// The tags whose values may differ.
    public static let varies: Key = "varies"
    /// The values of the payment that a terminal had to send: a tag and its values with commas, and so on.
    public static let entered: Key = "entered"
    /// The reason why there is no response.
    public static let torn: Key = "torn"

    /// Whether the directive belongs to an exchange, not to the whole transcript.
    var isOfExchange: Bool { [.field, .instant, .time, .varies, .torn, .assumed].contains(self) }
  }

  /// A line without an APDU: a comment or a directive.
  public struct Note: Hashable, Sendable {
    /// The key of a directive; nil for a comment.
    public let key: Key?
    /// The text of the comment, or the value of the directive: one line, without space around it.
    public let text: String

    private init(_ key: Key?, _ text: String) {
      self.key = key
      self.text = text.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
    }

    /// Creates a comment. Line ends in it become spaces. `ATR: …`, `PROTOCOL: …` and `UID: …` are headers.
    public static func comment(_ text: String) -> Note { Note(nil, text) }

    /// Creates a directive. Line ends in its value become spaces.
    public static func directive(_ key: Key, _ value: String) -> Note { Note(key, value) }

    /// Returns the value of a header line of this name; nil for other notes.
    package func header(_ name: String) -> String? {
      guard key == nil, text.begins(with: name + ":") else { return nil }
      return String(text.utf8.dropFirst(name.utf8.count + 1))?.trimmed
    }

    /// The line in the text.
    package var line: String {
      if let key { return text.isEmpty ? "#@ \(key.rawValue):" : "#@ \(key.rawValue): \(text)" }
      return text.isEmpty ? "#" : "# \(text)"
    }
  }
}

internal import AccessMessages

/// An order of an issuer script for a card.
struct CardScriptRecord: StoredRecord, Hashable {
  static let table = RecordTable("cardScript", identity: ["card", "subject"])

  /// The identifier of the card.
  var card: String
  /// What the command changes: `application`, `card`, or the tag of PUT DATA in hexadecimal. The pair of card and subject is
  /// unique.
  var subject: String
  /// The identifier of the order, unique in the store.
  var id: String
  /// The command.
  var command: CardScript.Command
  /// The value of PUT DATA; empty for another command.
  var value: [UInt8]
  /// When it was ordered.
  var createdAt: Int64
  /// In how many responses it was sent.
  var sent = 0
  /// When it was last sent; nil before the first time.
  var sentAt: Int64?
}

extension CardScript.Command: StoredValue {}

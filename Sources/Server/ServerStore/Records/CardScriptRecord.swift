package import AccessMessages

/// An order of an issuer script for a card.
package struct CardScriptRecord: StoredRecord, Hashable {
  package static let table = RecordTable("cardScript", identity: ["card", "subject"])

  /// The identifier of the card.
  package var card: String
  /// What the command changes: `application`, `card`, or the tag of PUT DATA in hexadecimal. The pair of card and subject is
  /// unique.
  package var subject: String
  /// The identifier of the order, unique in the store.
  package var id: String
  /// The command.
  package var command: CardScript.Command
  /// The value of PUT DATA; empty for another command.
  package var value: [UInt8]
  /// When it was ordered.
  package var createdAt: Int64
  /// In how many responses it was sent.
  package var sent = 0
  /// When it was last sent; nil before the first time.
  package var sentAt: Int64?

  /// Creates a record.
  package init(
    card: String, subject: String, id: String, command: CardScript.Command, value: [UInt8], createdAt: Int64,
    sent: Int = 0, sentAt: Int64? = nil
  ) {
    (self.card, self.subject, self.id, self.command) = (card, subject, id, command)
    (self.value, self.createdAt, self.sent, self.sentAt) = (value, createdAt, sent, sentAt)
  }

  /// The command for people, without its value.
  package var text: String { command == .putData ? "\(command.rawValue) \(subject)" : command.rawValue }
}

extension CardScript.Command: StoredValue {}

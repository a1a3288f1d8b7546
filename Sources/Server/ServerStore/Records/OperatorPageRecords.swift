/// A session of the operator's page.
package struct OperatorSessionRecord: StoredRecord, Hashable {
  package static let table = RecordTable("operatorSession", identity: ["digest"])

  /// The digest of its token.
  package var digest: TokenDigest
  /// The digest of the operator's token that began it. The session ends when the server has another one.
  package var operatorToken: TokenDigest
  /// When it began.
  package var createdAt: Int64
  /// When its last request came, to a minute.
  package var usedAt: Int64
  /// When it ends unless the browser sends a request before.
  package var expiresAt: Int64

  /// Creates a record.
  package init(digest: TokenDigest, operatorToken: TokenDigest, createdAt: Int64, usedAt: Int64, expiresAt: Int64) {
    (self.digest, self.operatorToken, self.createdAt) = (digest, operatorToken, createdAt)
    (self.usedAt, self.expiresAt) = (usedAt, expiresAt)
  }
}

/// A payment that a terminal asked the issuer to authorise, and that was not approved.
package struct CardAttemptRecord: StoredRecord, Hashable {
  package static let table = RecordTable("cardAttempt", identity: [])

  /// When it was asked for.
  package var at: Int64
  /// The identifier of the card; nil for an account number that the issuer does not know.
  package var card: String?
  /// The last four digits of the account number.
  package var lastDigits: String
  /// The amount in the smallest unit of the currency.
  package var amount: Int64
  /// The number of the currency (ISO 4217), 0...999.
  package var currency: Int
  /// The authorisation response code (ISO 8583), two characters.
  package var responseCode: String
  /// Why the issuer did not approve.
  package var reason: String
  /// The address of the client.
  package var address: String
  /// When the record is not needed any more.
  package var expiresAt: Int64

  /// Creates a record.
  package init(
    at: Int64, card: String? = nil, lastDigits: String, amount: Int64, currency: Int, responseCode: String,
    reason: String, address: String, expiresAt: Int64
  ) {
    (self.at, self.card, self.lastDigits, self.amount) = (at, card, lastDigits, amount)
    (self.currency, self.responseCode, self.reason) = (currency, responseCode, reason)
    (self.address, self.expiresAt) = (address, expiresAt)
  }
}

/// A record of a list with its place in the order of all records of the list.
package struct Numbered<Record: StoredRecord & Hashable>: StoredRecord, Hashable {
  package static var table: RecordTable { Record.table }

  /// The number, which increases with each record that the store appends.
  package var number: Int64
  /// The record.
  package var record: Record
}

extension Numbered<AuditEntry> {
  /// The place in the order of time.
  package var place: AuditPlace { AuditPlace(at: record.at, number: number) }
}

/// A place in the audit trail ordered by time; entries of the same moment are ordered by their number.
package struct AuditPlace: Hashable {
  package var at: Int64
  package var number: Int64

  /// Creates a record.
  package init(at: Int64, number: Int64) {
    (self.at, self.number) = (at, number)
  }
}

/// What the list of found users shows of a wallet.
package struct FoundWallet: StoredRecord, Hashable {
  package static let table = EnrolledWalletRecord.table

  /// The user name.
  package var userName: String
  /// The first name.
  package var firstName: String
  /// The last name.
  package var lastName: String
  /// The telephone number.
  package var phone: String
  /// When the wallet was added.
  package var createdAt: Int64
}

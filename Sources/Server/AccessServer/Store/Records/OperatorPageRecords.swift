/// A session of the operator's page.
struct OperatorSessionRecord: StoredRecord, Hashable {
  static let table = RecordTable("operatorSession", identity: ["digest"])

  /// The digest of its token.
  var digest: TokenDigest
  /// The digest of the operator's token that began it. The session ends when the server has another one.
  var operatorToken: TokenDigest
  /// When it began.
  var createdAt: Int64
  /// When its last request came, to a minute.
  var usedAt: Int64
  /// When it ends unless the browser sends a request before.
  var expiresAt: Int64
}

/// A payment that a terminal asked the issuer to authorise, and that was not approved.
struct CardAttemptRecord: StoredRecord, Hashable {
  static let table = RecordTable("cardAttempt", identity: [])

  /// When it was asked for.
  var at: Int64
  /// The identifier of the card; nil for an account number that the issuer does not know.
  var card: String?
  /// The last four digits of the account number.
  var lastDigits: String
  /// The amount in the smallest unit of the currency.
  var amount: Int64
  /// The number of the currency (ISO 4217), 0...999.
  var currency: Int
  /// The authorisation response code (ISO 8583), two characters.
  var responseCode: String
  /// Why the issuer did not approve.
  var reason: String
  /// The address of the client.
  var address: String
  /// When the record is not needed any more.
  var expiresAt: Int64
}

/// A record of a list with its place in the order of all records of the list.
struct Numbered<Record: StoredRecord & Hashable>: StoredRecord, Hashable {
  static var table: RecordTable { Record.table }

  /// The number, which increases with each record that the store appends.
  var number: Int64
  /// The record.
  var record: Record
}

extension Numbered<AuditEntry> {
  /// The place in the order of time.
  var place: AuditPlace { AuditPlace(at: record.at, number: number) }
}

/// A place in the audit trail ordered by time; entries of the same moment are ordered by their number.
struct AuditPlace: Hashable {
  var at: Int64
  var number: Int64
}

/// What the list of found users shows of a wallet.
struct FoundWallet: StoredRecord, Hashable {
  static let table = WalletRecord.table

  /// The user name.
  var userName: String
  /// The first name.
  var firstName: String
  /// The last name.
  var lastName: String
  /// The telephone number.
  var phone: String
  /// When the wallet was added.
  var createdAt: Int64
}

internal import AccessMessages

/// A user of the server. Every moment of a record is in milliseconds since 1970-01-01 00:00:00 UTC.
struct UserRecord: StoredRecord, Hashable {
  static let table = RecordTable("user", identity: ["name"])

  /// The account, 1 to 128 characters.
  var name: String
  /// When the user was added.
  var createdAt: Int64
  /// The name in the form in which new names are compared with it; nil in a record of an older version.
  var foldedName: String?

  init(name: String, createdAt: Int64) {
    (self.name, self.createdAt) = (name, createdAt)
    foldedName = NewAccountName.folded(name)
  }
}

/// A token that an operator gave to a user for a registration.
struct RegistrationTokenRecord: StoredRecord, Hashable {
  static let table = RecordTable("registrationToken", identity: ["digest"])

  /// The digest of the token.
  var digest: TokenDigest
  /// The account that it registers for.
  var account: String
  /// When it was made.
  var createdAt: Int64
  /// When it expires.
  var expiresAt: Int64
  /// When a registration was begun with it for the first time; nil before.
  var begunAt: Int64?
  /// When a registration with it succeeded; nil before.
  var usedAt: Int64?
}

/// An authorization that a successful operation gave to a client.
struct AuthorizationRecord: StoredRecord, Hashable {
  static let table = RecordTable("authorization", identity: ["digest"])

  /// The digest of the token.
  var digest: TokenDigest
  /// The account.
  var account: String
  /// The identifier of the device whose key was used; nil when the client gave none.
  var deviceID: String?
  /// The keys that authenticated, or that were registered; nil in a record of an older version.
  var keys: AuthorizingKeys?
  /// The session identifier of the operation.
  var sessionID: String
  /// When it was given.
  var createdAt: Int64
  /// When it expires.
  var expiresAt: Int64
}

/// The failures of an account or of an address, for the limit against guessing.
struct FailureRecord: StoredRecord, Hashable {
  static let table = RecordTable("failure", identity: ["subject"])

  /// The account or the address, with a prefix for its kind.
  var subject: String
  /// How many failures the current period has.
  var count: Int
  /// When the period ends and counting starts again.
  var expiresAt: Int64
}

/// An entry of the audit trail. It contains no token, key or challenge.
struct AuditEntry: StoredRecord, Hashable {
  static let table = RecordTable("audit", identity: [])

  /// When it happened.
  var at: Int64
  /// The event, such as `registration`.
  var event: String
  /// The result, such as `succeeded` or `1491`.
  var result: String
  /// The account, or nil.
  var account: String?
  /// The device, or nil.
  var device: String?
  /// The session identifier of the operation, or nil.
  var sessionID: String?
  /// The address of the client, or nil.
  var address: String?
}

/// A setting of the server, such as a key that it made at its first start.
struct SettingRecord: StoredRecord {
  static let table = RecordTable("setting", identity: ["name"])

  /// The name.
  var name: String
  /// The value.
  var value: [UInt8]
}

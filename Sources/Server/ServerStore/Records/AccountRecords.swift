internal import AccessMessages

/// A user of the server. Every moment of a record is in milliseconds since 1970-01-01 00:00:00 UTC.
package struct UserRecord: StoredRecord, Hashable {
  package static let table = RecordTable("user", identity: ["name"])

  /// The account, 1 to 128 characters.
  package var name: String
  /// When the user was added.
  package var createdAt: Int64
  /// The name in the form in which new names are compared with it; nil in a record of an older version.
  package var foldedName: String?

  package init(name: String, createdAt: Int64) {
    (self.name, self.createdAt) = (name, createdAt)
    foldedName = NewAccountName.folded(name)
  }
}

/// A token that an operator gave to a user for a registration.
package struct RegistrationTokenRecord: StoredRecord, Hashable {
  package static let table = RecordTable("registrationToken", identity: ["digest"])

  /// The digest of the token.
  package var digest: TokenDigest
  /// The account that it registers for.
  package var account: String
  /// When it was made.
  package var createdAt: Int64
  /// When it expires.
  package var expiresAt: Int64
  /// When a registration was begun with it for the first time; nil before.
  package var begunAt: Int64?
  /// When a registration with it succeeded; nil before.
  package var usedAt: Int64?

  /// Creates a record.
  package init(
    digest: TokenDigest, account: String, createdAt: Int64, expiresAt: Int64, begunAt: Int64? = nil,
    usedAt: Int64? = nil
  ) {
    (self.digest, self.account, self.createdAt) = (digest, account, createdAt)
    (self.expiresAt, self.begunAt, self.usedAt) = (expiresAt, begunAt, usedAt)
  }
}

/// An authorization that a successful operation gave to a client.
package struct AuthorizationRecord: StoredRecord, Hashable {
  package static let table = RecordTable("authorization", identity: ["digest"])

  /// The digest of the token.
  package var digest: TokenDigest
  /// The account.
  package var account: String
  /// The identifier of the device whose key was used; nil when the client gave none.
  package var deviceID: String?
  /// The keys that authenticated, or that were registered; nil in a record of an older version.
  package var keys: AuthorizingKeys?
  /// The session identifier of the operation.
  package var sessionID: String
  /// When it was given.
  package var createdAt: Int64
  /// When it expires.
  package var expiresAt: Int64

  /// Creates a record.
  package init(
    digest: TokenDigest, account: String, deviceID: String? = nil, keys: AuthorizingKeys? = nil, sessionID: String,
    createdAt: Int64, expiresAt: Int64
  ) {
    (self.digest, self.account, self.deviceID, self.keys) = (digest, account, deviceID, keys)
    (self.sessionID, self.createdAt, self.expiresAt) = (sessionID, createdAt, expiresAt)
  }
}

/// The failures of an account or of an address, for the limit against guessing.
package struct FailureRecord: StoredRecord, Hashable {
  package static let table = RecordTable("failure", identity: ["subject"])

  /// The account or the address, with a prefix for its kind.
  package var subject: String
  /// How many failures the current period has.
  package var count: Int
  /// When the period ends and counting starts again.
  package var expiresAt: Int64

  /// Creates a record.
  package init(subject: String, count: Int, expiresAt: Int64) {
    (self.subject, self.count, self.expiresAt) = (subject, count, expiresAt)
  }
}

/// An entry of the audit trail. It contains no token, key or challenge.
package struct AuditEntry: StoredRecord, Hashable {
  package static let table = RecordTable("audit", identity: [])

  /// When it happened.
  package var at: Int64
  /// The event, such as `registration`.
  package var event: String
  /// The result, such as `succeeded` or `1491`.
  package var result: String
  /// The account, or nil.
  package var account: String?
  /// The device, or nil.
  package var device: String?
  /// The session identifier of the operation, or nil.
  package var sessionID: String?
  /// The address of the client, or nil.
  package var address: String?

  /// Creates a record.
  package init(
    at: Int64, event: String, result: String, account: String? = nil, device: String? = nil, sessionID: String? = nil,
    address: String? = nil
  ) {
    (self.at, self.event, self.result, self.account) = (at, event, result, account)
    (self.device, self.sessionID, self.address) = (device, sessionID, address)
  }
}

/// A setting of the server, such as a key that it made at its first start.
package struct SettingRecord: StoredRecord {
  package static let table = RecordTable("setting", identity: ["name"])

  /// The name.
  package var name: String
  /// The value.
  package var value: [UInt8]
}

/// A user of the server. Every moment of a record is in milliseconds since 1970-01-01 00:00:00 UTC.
public struct UserRecord: Hashable, Sendable {
  /// The account, 1 to 128 characters.
  public var name: String
  /// When the user was added.
  public var createdAt: Int64

  /// Creates a record.
  public init(name: String, createdAt: Int64) { (self.name, self.createdAt) = (name, createdAt) }
}

/// A token that an operator gave to a user for a registration.
public struct RegistrationTokenRecord: Hashable, Sendable {
  /// The digest of the token.
  public var digest: TokenDigest
  /// The account that it registers for.
  public var account: String
  /// When it was made.
  public var createdAt: Int64
  /// When it expires.
  public var expiresAt: Int64
  /// When a registration was begun with it for the first time; nil before.
  public var begunAt: Int64?
  /// When a registration with it succeeded; nil before.
  public var usedAt: Int64?

  /// Creates a record.
  public init(
    digest: TokenDigest, account: String, createdAt: Int64, expiresAt: Int64, begunAt: Int64? = nil,
    usedAt: Int64? = nil
  ) {
    (self.digest, self.account, self.createdAt) = (digest, account, createdAt)
    (self.expiresAt, self.begunAt, self.usedAt) = (expiresAt, begunAt, usedAt)
  }
}

/// An authorization that a successful operation gave to a client.
public struct AuthorizationRecord: Hashable, Sendable {
  /// The digest of the token.
  public var digest: TokenDigest
  /// The account.
  public var account: String
  /// The identifier of the device whose key was used; nil when the client gave none.
  public var deviceID: String?
  /// The session identifier of the operation.
  public var sessionID: String
  /// When it was given.
  public var createdAt: Int64
  /// When it expires.
  public var expiresAt: Int64

  /// Creates a record.
  public init(
    digest: TokenDigest, account: String, deviceID: String? = nil, sessionID: String, createdAt: Int64,
    expiresAt: Int64
  ) {
    (self.digest, self.account, self.deviceID, self.sessionID) = (digest, account, deviceID, sessionID)
    (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
  }
}

/// The failures of an account or of an address, for the limit against guessing.
public struct FailureRecord: Hashable, Sendable {
  /// The account or the address, with a prefix for its kind.
  public var subject: String
  /// How many failures the current period has.
  public var count: Int
  /// When the period ends and counting starts again.
  public var expiresAt: Int64

  /// Creates a record.
  public init(subject: String, count: Int, expiresAt: Int64) {
    (self.subject, self.count, self.expiresAt) = (subject, count, expiresAt)
  }
}

/// An entry of the audit trail. It contains no token, key or challenge.
public struct AuditEntry: Hashable, Sendable {
  /// When it happened.
  public var at: Int64
  /// The event, such as `registration`.
  public var event: String
  /// The result, such as `succeeded` or `1491`.
  public var result: String
  /// The account, or nil.
  public var account: String?
  /// The device, or nil.
  public var device: String?
  /// The session identifier of the operation, or nil.
  public var sessionID: String?
  /// The address of the client, or nil.
  public var address: String?

  /// Creates an entry.
  public init(
    at moment: Int64, event: String, result: String, account: String? = nil, device: String? = nil,
    sessionID: String? = nil, address: String? = nil
  ) {
    (self.at, self.event, self.result, self.account) = (moment, event, result, account)
    (self.device, self.sessionID, self.address) = (device, sessionID, address)
  }
}

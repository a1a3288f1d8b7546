/// What a transaction reads. A record that does not exist is nil; lists are ordered by creation, oldest first.
public protocol AccessReading: WalletReading, CardReading, DeactivationReading,
  OperatorReading
{
  /// The user with a name.
  func user(named name: String) throws(AccessStoreError) -> UserRecord?
  /// The registration token with a digest, used and expired ones included.
  func registrationToken(_ digest: TokenDigest) throws(AccessStoreError) -> RegistrationTokenRecord?
  /// The registration tokens of an account, used and expired ones included.
  func registrationTokens(of account: String) throws(AccessStoreError) -> [RegistrationTokenRecord]
  /// The device with an identifier.
  func device(_ id: String) throws(AccessStoreError) -> DeviceRecord?
  /// The device of an account with a name.
  func device(named name: String, of account: String) throws(AccessStoreError) -> DeviceRecord?
  /// The devices of an account.
  func devices(of account: String) throws(AccessStoreError) -> [DeviceRecord]
  /// A page of all devices, ordered by identifier, for the operator.
  ///
  /// - Parameters:
  ///   - id: The page begins after this identifier; nil for the first page.
  ///   - limit: The most records of the page, at least 1.
  func devices(after id: String?, limit: Int) throws(AccessStoreError) -> [DeviceRecord]
  /// The credential with a key identifier that an authenticator model gave. The pair is unique in the store.
  func credential(aaid: String, keyID: [UInt8]) throws(AccessStoreError) -> CredentialRecord?
  /// The credentials of an account.
  func credentials(of account: String) throws(AccessStoreError) -> [CredentialRecord]
  /// The challenge with an identifier, expired ones included.
  func challenge(_ id: String) throws(AccessStoreError) -> ChallengeRecord?
  /// The challenges of an account, expired ones included.
  func challenges(of account: String) throws(AccessStoreError) -> [ChallengeRecord]
  /// When records become fewer than a number.
  ///
  /// - Parameters:
  ///   - count: The number, at least 1.
  ///   - records: The records.
  ///   - moment: Records that expire at this moment or before it are not counted.
  /// - Returns: The moment at which the number is not reached any more if none of them is removed; nil when there are fewer.
  func expiry(
    ofCount count: Int, _ records: CountedRecords, at moment: Int64
  ) throws(AccessStoreError) -> Int64?
  /// The out-of-band token with a digest, redeemed and expired ones included.
  func outOfBandToken(_ digest: TokenDigest) throws(AccessStoreError) -> OutOfBandTokenRecord?
  /// The out-of-band tokens that were dispatched to a device, redeemed and expired ones included.
  func outOfBandTokens(of device: String) throws(AccessStoreError) -> [OutOfBandTokenRecord]
  /// The out-of-band tokens of an account, redeemed and expired ones included.
  func outOfBandTokens(ofAccount account: String) throws(AccessStoreError) -> [OutOfBandTokenRecord]
  /// The operation with a session identifier.
  func operation(_ sessionID: String) throws(AccessStoreError) -> OperationRecord?
  /// The authorization with a digest, expired ones included.
  func authorization(_ digest: TokenDigest) throws(AccessStoreError) -> AuthorizationRecord?
  /// The authorizations of an account, expired ones included.
  func authorizations(of account: String) throws(AccessStoreError) -> [AuthorizationRecord]
  /// The failures that were counted for a subject.
  func failures(of subject: String) throws(AccessStoreError) -> FailureRecord?
  /// The newest entries of the audit trail, newest first.
  func auditEntries(limit: Int) throws(AccessStoreError) -> [AuditEntry]
  /// The value of a setting of the server, such as a key that it made at first start.
  func setting(_ name: String) throws(AccessStoreError) -> [UInt8]?
}

/// What a transaction changes. `save` adds a record or replaces the one with the same identity.
public protocol AccessTransaction: AccessReading, WalletTransaction, CardTransaction,
  DeactivationTransaction
{
  /// Saves a user, identified by `name`.
  func save(_ user: UserRecord) throws(AccessStoreError)
  /// Saves a registration token, identified by `digest`.
  func save(_ token: RegistrationTokenRecord) throws(AccessStoreError)
  /// Removes a registration token.
  func removeRegistrationToken(_ digest: TokenDigest) throws(AccessStoreError)
  /// Saves a device, identified by `id`. The pair of `account` and `name` is unique; the caller checks it first.
  func save(_ device: DeviceRecord) throws(AccessStoreError)
  /// Removes a device with its out-of-band tokens and used requests. Its credentials stay.
  func removeDevice(_ id: String) throws(AccessStoreError)
  /// Saves a credential, identified by `aaid` and `keyID`.
  func save(_ credential: CredentialRecord) throws(AccessStoreError)
  /// Removes a credential.
  func removeCredential(aaid: String, keyID: [UInt8]) throws(AccessStoreError)
  /// Saves a challenge, identified by `id`.
  func save(_ challenge: ChallengeRecord) throws(AccessStoreError)
  /// Removes a challenge, so that it cannot be used again.
  func removeChallenge(_ id: String) throws(AccessStoreError)
  /// Saves an out-of-band token, identified by `digest`.
  func save(_ token: OutOfBandTokenRecord) throws(AccessStoreError)
  /// Removes an out-of-band token.
  func removeOutOfBandToken(_ digest: TokenDigest) throws(AccessStoreError)
  /// Saves an operation, identified by `sessionID`.
  func save(_ operation: OperationRecord) throws(AccessStoreError)
  /// Saves an authorization, identified by `digest`.
  func save(_ authorization: AuthorizationRecord) throws(AccessStoreError)
  /// Removes an authorization.
  func removeAuthorization(_ digest: TokenDigest) throws(AccessStoreError)
  /// Records that a device used a request identifier.
  ///
  /// - Returns: False when the device has used it before; nothing is changed then.
  func use(_ request: UsedRequestRecord) throws(AccessStoreError) -> Bool
  /// Saves the failures of a subject, identified by `subject`.
  func save(_ failures: FailureRecord) throws(AccessStoreError)
  /// Removes the failures of a subject.
  func removeFailures(of subject: String) throws(AccessStoreError)
  /// Adds an entry to the audit trail.
  func append(_ entry: AuditEntry) throws(AccessStoreError)
  /// Removes the oldest entries of the audit trail.
  ///
  /// - Parameter count: How many entries are kept, at least 1.
  /// - Returns: How many entries were removed.
  func removeAuditEntries(keeping count: Int) throws(AccessStoreError) -> Int
  /// Sets a setting of the server.
  func set(_ name: String, to value: [UInt8]) throws(AccessStoreError)
  /// Removes challenges, out-of-band tokens, operations, authorizations, used requests, registration tokens, failures, and
  /// sessions, tokens and used requests of wallets whose `expiresAt` is before a moment.
  ///
  /// - Returns: How many records were removed.
  func removeExpired(before moment: Int64) throws(AccessStoreError) -> Int
}

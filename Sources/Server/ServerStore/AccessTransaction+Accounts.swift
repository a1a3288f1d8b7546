extension AccessTransaction {
  /// The user with a name.
  package func user(named name: String) throws(AccessError) -> UserRecord? { try record("name", name) }

  /// A user whose folded name is this one.
  package func user(folded name: String) throws(AccessError) -> UserRecord? {
    try first("WHERE foldedName = ? ORDER BY name LIMIT 1", [name])
  }
  /// Users of an older version, whose names are not folded yet.
  package func unfoldedUsers(limit: Int) throws(AccessError) -> [UserRecord] {
    try records("WHERE foldedName IS NULL LIMIT ?", [limit])
  }

  /// The registration token with a digest, used and expired ones included.
  package func registrationToken(_ digest: TokenDigest) throws(AccessError) -> RegistrationTokenRecord? {
    try record("digest", digest)
  }
  /// The registration tokens of an account, used and expired ones included.
  package func registrationTokens(of account: String) throws(AccessError) -> [RegistrationTokenRecord] {
    try list("account", account)
  }

  /// The authorization with a digest, expired ones included.
  package func authorization(_ digest: TokenDigest) throws(AccessError) -> AuthorizationRecord? {
    try record("digest", digest)
  }
  /// The authorizations of an account, expired ones included.
  package func authorizations(of account: String) throws(AccessError) -> [AuthorizationRecord] {
    try list("account", account)
  }
  /// The authorizations of the account that a key belongs to, expired ones included.
  package func authorizations(ofOwnerOf key: CredentialRecord.Key) throws(AccessError) -> [AuthorizationRecord] {
    try records("WHERE account = \(CredentialRecord.owner) ORDER BY createdAt, rowid", [key.aaid, key.keyID])
  }

  /// The failures that were counted for a subject.
  package func failures(of subject: String) throws(AccessError) -> FailureRecord? { try record("subject", subject) }

  /// A page of all users, ordered by name.
  package func users(after name: String?, limit: Int) throws(AccessError) -> [UserRecord] {
    try page(by: "name", after: name, limit: limit)
  }
}

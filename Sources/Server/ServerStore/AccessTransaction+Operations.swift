internal import AccessMessages

extension AccessTransaction {
  /// The challenge with an identifier, expired ones included.
  package func challenge(_ id: String) throws(AccessError) -> ChallengeRecord? { try record("id", id) }
  /// The challenges of an account, expired ones included.
  package func challenges(of account: String) throws(AccessError) -> [ChallengeRecord] { try list("account", account) }

  /// The out-of-band token with a digest, redeemed and expired ones included.
  package func outOfBandToken(_ digest: TokenDigest) throws(AccessError) -> OutOfBandTokenRecord? {
    try record("digest", digest)
  }
  /// The out-of-band tokens that were dispatched to a device, redeemed and expired ones included.
  package func outOfBandTokens(of device: String) throws(AccessError) -> [OutOfBandTokenRecord] {
    try list("device", device)
  }
  /// The out-of-band tokens of an account, redeemed and expired ones included.
  package func outOfBandTokens(ofAccount account: String) throws(AccessError) -> [OutOfBandTokenRecord] {
    try list("account", account)
  }
  /// A page of the out-of-band tokens that are neither redeemed nor expired, ordered by digest.
  ///
  /// - Parameter moment: A token is expired unless its `expiresAt` is after this moment.
  package func pendingTokens(
    at moment: Int64, after digest: TokenDigest?, limit: Int
  ) throws(AccessError) -> [OutOfBandTokenRecord] {
    try page(by: "digest", after: digest, limit: limit, where: "redeemedAt IS NULL AND expiresAt > ?", [moment])
  }

  private static let authenticators = RecordTable("operationAuthenticator", identity: ["sessionID", "place"])

  /// The operation with a session identifier.
  package func operation(_ sessionID: String) throws(AccessError) -> OperationRecord? {
    // Both statements are always the same ones, so that they can be read in advance.
    let authenticators: [OperationStatus.Authenticator] = try details(in: Self.authenticators, of: sessionID)
    guard var operation: OperationRecord = try record("sessionID", sessionID) else { return nil }
    operation.authenticators = authenticators
    return operation
  }
  /// Saves an operation that has neither a record nor authenticators yet.
  package func saveNew(_ operation: OperationRecord) throws(AccessError) {
    precondition(operation.authenticators.isEmpty, "a new operation has no authenticators")
    try saveRow(operation)
  }
  /// Saves an operation with its authenticators.
  package func save(_ operation: OperationRecord) throws(AccessError) {
    try saveRow(operation)
    try save(operation.authenticators, in: Self.authenticators, of: operation.sessionID)
  }
}

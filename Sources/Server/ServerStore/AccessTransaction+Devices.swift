extension AccessTransaction {
  /// The device with an identifier.
  package func device(_ id: String) throws(AccessError) -> DispatchTargetRecord? { try record("id", id) }
  /// The device of an account with a name. The pair is unique; the caller checks it before a device is saved.
  package func device(named name: String, of account: String) throws(AccessError) -> DispatchTargetRecord? {
    try first("WHERE account = ? AND name = ?", [account, name])
  }
  /// The devices of an account.
  package func devices(of account: String) throws(AccessError) -> [DispatchTargetRecord] {
    try list("account", account)
  }
  /// A page of all devices, ordered by identifier, for the operator.
  package func devices(after id: String?, limit: Int) throws(AccessError) -> [DispatchTargetRecord] {
    try page(by: "id", after: id, limit: limit)
  }

  /// The credential with a key identifier that an authenticator model gave. The pair is unique in the store.
  package func credential(aaid: String, keyID: [UInt8]) throws(AccessError) -> CredentialRecord? {
    try first("WHERE aaid = ? AND keyID = ?", [aaid, keyID])
  }
  /// The credentials of an account.
  package func credentials(of account: String) throws(AccessError) -> [CredentialRecord] {
    try list("account", account)
  }
  /// Removes a credential.
  package func removeCredential(aaid: String, keyID: [UInt8]) throws(AccessError) {
    try remove(from: CredentialRecord.table, where: "aaid = ? AND keyID = ?", [aaid, keyID])
  }

  /// The deactivated devices of a user.
  package func deactivations(of owner: DeactivationRecord.Owner) throws(AccessError) -> [DeactivationRecord] {
    try records("WHERE kind = ? AND owner = ? ORDER BY createdAt, rowid", [owner.kind, owner.name])
  }
  /// The deactivated devices of the account that a key belongs to.
  package func deactivations(ofOwnerOf key: CredentialRecord.Key) throws(AccessError) -> [DeactivationRecord] {
    let kind = DeactivationRecord.Owner.Kind.account
    return try records(
      "WHERE kind = ? AND owner = \(CredentialRecord.owner) ORDER BY createdAt, rowid", [kind, key.aaid, key.keyID])
  }
  /// The deactivations of a device in wallets.
  package func walletDeactivations(ofDevice deviceID: String) throws(AccessError) -> [DeactivationRecord] {
    let kind = DeactivationRecord.Owner.Kind.wallet
    return try records("WHERE kind = ? AND deviceID = ? ORDER BY createdAt, rowid", [kind, deviceID])
  }
  /// The deactivation of a dispatch target, also of one that was removed since.
  package func deactivation(ofTarget id: String) throws(AccessError) -> DeactivationRecord? { try record("target", id) }
  /// The deactivated devices of all accounts of authenticators.
  package func accountDeactivations() throws(AccessError) -> [DeactivationRecord] {
    try list("kind", DeactivationRecord.Owner.Kind.account)
  }
  /// Removes a deactivation.
  package func removeDeactivation(of owner: DeactivationRecord.Owner, deviceID: String) throws(AccessError) {
    try remove(
      from: DeactivationRecord.table, where: "kind = ? AND owner = ? AND deviceID = ?",
      [owner.kind, owner.name, deviceID])
  }
}

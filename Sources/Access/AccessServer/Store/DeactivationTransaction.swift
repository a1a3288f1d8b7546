/// What a transaction reads about deactivated devices. Lists are ordered by creation, oldest first.
public protocol DeactivationReading {
  /// The deactivated devices of a user.
  func deactivations(of owner: DeactivationRecord.Owner) throws(AccessStoreError) -> [DeactivationRecord]
  /// The deactivations of a device in wallets.
  func walletDeactivations(ofDevice deviceID: String) throws(AccessStoreError) -> [DeactivationRecord]
  /// The deactivation of a dispatch target, also of one that was removed since.
  func deactivation(ofTarget id: String) throws(AccessStoreError) -> DeactivationRecord?
  /// The deactivated devices of all accounts of authenticators.
  func accountDeactivations() throws(AccessStoreError) -> [DeactivationRecord]
}

/// What a transaction changes about deactivated devices.
public protocol DeactivationTransaction: DeactivationReading {
  /// Saves a deactivation, identified by `owner` and `deviceID`.
  func save(_ deactivation: DeactivationRecord) throws(AccessStoreError)
  /// Removes a deactivation.
  func removeDeactivation(of owner: DeactivationRecord.Owner, deviceID: String) throws(AccessStoreError)
}

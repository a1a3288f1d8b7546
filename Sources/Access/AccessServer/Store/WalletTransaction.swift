/// What a transaction reads of wallets. A record that does not exist is nil; lists are ordered by creation, oldest first.
public protocol WalletReading {
  /// The wallet with an identifier.
  func wallet(_ id: String) throws(AccessStoreError) -> WalletRecord?
  /// The wallet with a user name, in lower case.
  func wallet(named userName: String) throws(AccessStoreError) -> WalletRecord?
  /// A page of all wallets, ordered by identifier, for the operator.
  ///
  /// - Parameters:
  ///   - id: The page begins after this identifier; nil for the first page.
  ///   - limit: The most records of the page, at least 1.
  func wallets(after id: String?, limit: Int) throws(AccessStoreError) -> [WalletRecord]
  /// The device with an identifier.
  func walletDevice(_ deviceID: String) throws(AccessStoreError) -> WalletDeviceRecord?
  /// The devices of a wallet.
  func walletDevices(of wallet: String) throws(AccessStoreError) -> [WalletDeviceRecord]
  /// The session with a digest, expired ones included.
  func walletSession(_ digest: TokenDigest) throws(AccessStoreError) -> WalletSessionRecord?
  /// The sessions of a wallet, expired ones included.
  func walletSessions(of wallet: String) throws(AccessStoreError) -> [WalletSessionRecord]
  /// The token with a digest, expired ones included.
  func walletToken(_ digest: TokenDigest) throws(AccessStoreError) -> WalletTokenRecord?
  /// The tokens of a user name, expired ones included.
  func walletTokens(of userName: String) throws(AccessStoreError) -> [WalletTokenRecord]
}

/// What a transaction changes of wallets. `save` adds a record or replaces the one with the same identity.
public protocol WalletTransaction: WalletReading {
  /// Saves a wallet, identified by `id`. The user name is unique; the caller checks it first.
  func save(_ wallet: WalletRecord) throws(AccessStoreError)
  /// Saves a device, identified by `deviceID`. Its wallet must exist.
  func save(_ device: WalletDeviceRecord) throws(AccessStoreError)
  /// Removes a device.
  func removeWalletDevice(_ deviceID: String) throws(AccessStoreError)
  /// Saves a session, identified by `digest`. Its wallet must exist.
  func save(_ session: WalletSessionRecord) throws(AccessStoreError)
  /// Removes a session.
  func removeWalletSession(_ digest: TokenDigest) throws(AccessStoreError)
  /// Saves a token, identified by `digest`.
  func save(_ token: WalletTokenRecord) throws(AccessStoreError)
  /// Removes a token, so that it cannot be used again.
  func removeWalletToken(_ digest: TokenDigest) throws(AccessStoreError)
  /// Records that a device used an identifier in a signature. The device need not be linked with a wallet.
  ///
  /// - Returns: False when the device has used it before; nothing is changed then.
  func useWalletRequest(_ request: UsedRequestRecord) throws(AccessStoreError) -> Bool
}

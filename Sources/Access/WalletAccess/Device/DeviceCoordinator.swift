public import AccessMessages
internal import Documents
internal import MobileAuthentication

/// Checks and removes the link between this device and a wallet.
public struct DeviceCoordinator: Sendable {
  private let wallet: WalletAccess

  /// Creates a coordinator.
  public init(_ wallet: WalletAccess) { self.wallet = wallet }

  /// Asks the issuer whether the device is linked and active. Called at every start, on every return to the foreground and
  /// after unlinking.
  ///
  /// When the issuer answers that the device is not linked, what the device keeps of a wallet is removed: the issuer has
  /// unlinked it. When it answers that the device is not active or the session not open, the session is removed: the
  /// deactivation, a recovery or the issuer's limit of inactivity has ended it.
  ///
  /// - Throws: `.keysLost` after this has removed the wallet, or an error of the exchange, after which nothing is removed. The
  ///   application shows it, and `DeviceStatus.unknown`.
  public func status() async throws(WalletAccessError) -> DeviceStatus {
    // Before the key of the session is used.
    try await wallet.checkDevice()
    await wallet.moveSharedIdentity()
    let response = try await wallet.send(.get, WalletPath.device, token: try await wallet.openedToken())
    let status = try WalletAccess.body(response, DeviceStatus.init)
    if !status.isRegistered {
      try await wallet.wipe()
    } else if !status.isActive {
      try await wallet.forgetSession()
    } else if status.isLoggedIn == false {
      try await wallet.forgetSession()
      try await wallet.change { $0.hasExpiredSession = true }
    }
    return status
  }

  /// Whether a session is open on this device. A session that was inactive for too long is ended first. When the device has
  /// lost the key of the session, the wallet is removed.
  public func isLoggedIn() async throws(WalletAccessError) -> Bool {
    if try await wallet.logOutIfInactive() != nil { return false }
    do throws(WalletAccessError) {
      return try await wallet.openedToken() != nil
    } catch .keysLost { return false }
  }

  /// Unlinks the device from its wallet, before or after login: the device's signature authorises it. Then removes
  /// everything that the device keeps of the wallet.
  ///
  /// - Returns: The status of the device, checked again; nil when that check failed after the device was unlinked.
  /// - Throws: An error of the exchange; the device is still linked then, and nothing was removed.
  public func removeDevice() async throws(WalletAccessError) -> DeviceStatus? {
    do throws(WalletAccessError) {
      _ = try await wallet.send(.delete, WalletPath.device)
    } catch .notLinked {
      // The answer to an earlier request was lost, or the issuer unlinked the device.
    }
    try await wallet.wipe()
    return try? await status()
  }
}

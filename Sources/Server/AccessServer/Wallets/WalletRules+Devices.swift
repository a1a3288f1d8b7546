internal import AccessMessages
internal import ServerStore

extension WalletRules {
  /// The status of the device that signs the request, and of the session that it presents.
  func deviceStatus(_ request: SignedRequest) throws(AccessError) -> DeviceStatus {
    let device = try signingDevice(request)
    return DeviceStatus(
      isRegistered: device.linked != nil, isActive: device.linked?.state == .active,
      isLoggedIn: try request.token.map { (token) throws(AccessError) in try isOpen(token, on: device) })
  }

  /// The requirements of the issuer.
  func walletRequirements(_ request: SignedRequest) throws(AccessError) -> WalletRequirements {
    _ = try signingDevice(request)
    return configuration.wallets.requirements
  }

  /// Unlinks the device that signs the request. A deactivated device may be unlinked too.
  ///
  /// - Throws: A refusal with code `notRegistered`.
  func unlinkDevice(_ request: SignedRequest) throws(AccessError) {
    guard let linked = try signingDevice(request).linked else { throw .notRegistered }
    try unlink(linked, "by its user")
  }

  /// Unlinks a device: its sessions and tokens end with it, and its cards are deleted for good. Every rule that unlinks a
  /// device calls this function.
  ///
  /// - Parameter caller: The session of the request, which stays; nil without one.
  func unlink(_ device: WalletDeviceRecord, _ reason: String, caller: TokenDigest? = nil) throws(AccessError) {
    let wallet = try wallet(device.wallet)
    try transaction.remove(WalletDeviceRecord.self, device.deviceID)
    try perform(Withdrawal(subject: .device(device.deviceID), caller: caller), of: wallet)
    try deleteCards(of: wallet.userName, onDevice: device.deviceID)
    try audit(.deviceUnlinked, reason, account: wallet.userName, device: device.deviceID)
  }

  /// The devices of the wallet of a session.
  func walletDevices(_ request: SignedRequest) throws(AccessError) -> WalletDeviceList {
    let device = try signingDevice(request)
    let session = try session(request, of: device, scopes: Set(SessionScope.allCases))
    let devices = try transaction.walletDevices(of: session.wallet)
    return WalletDeviceList(
      devices.map {
        WalletDeviceList.Entry(
          deviceID: $0.deviceID, name: $0.name, isActive: $0.state == .active,
          isCurrent: $0.deviceID == device.deviceID, createdAt: $0.createdAt, system: $0.system,
          lastContactAt: $0.lastContactAt)
      })
  }

  /// Unlinks a device of the wallet of a session.
  func unlinkDevice(_ deviceID: String, _ request: SignedRequest) throws(AccessError) {
    let device = try signingDevice(request)
    let session = try session(request, of: device, scopes: Set(SessionScope.allCases))
    guard let lost = try transaction.walletDevice(deviceID), lost.wallet == session.wallet else {
      throw .refused(.notFound, "the wallet has no such device")
    }
    try unlink(lost, "by its user, \(session.scope)", caller: session.digest)
  }
}

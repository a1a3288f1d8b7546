internal import AccessMessages
internal import ServerStore

extension WalletRules {
  /// Begins a session of a wallet on a device. The oldest ones end that are too many.
  ///
  /// - Parameters:
  ///   - userLimit: The user's own limit of inactivity, in seconds; nil without one.
  ///   - former: The sessions on the device; nil when they were not read.
  func beginSession(
    _ wallet: EnrolledWalletRecord, on device: SigningDevice, _ login: WalletSessionRecord.Login,
    scope: SessionScope = .wallet, userLimit: Int? = nil, former: [WalletSessionRecord]? = nil
  ) throws(AccessError) -> WalletSession {
    let token = environment.newToken()
    let idle = idleSeconds(userLimit)
    let former = if let former { former } else { try transaction.walletSessions(onDevice: device.deviceID) }
    for session in former.filter({ $0.wallet == wallet.id }).dropLast(RecordLimits.sessions - 1) {
      try transaction.remove(WalletSessionRecord.self, session.digest)
    }
    try transaction.save(
      WalletSessionRecord(
        digest: TokenDigest(of: token), wallet: wallet.id, deviceID: device.deviceID,
        signatureKey: device.storedKey, scope: scope.rawValue, login: login, createdAt: now,
        expiresAt: now + Int64(idle) * 1_000, idleSeconds: userLimit))
    try countLogin(of: wallet.userName, on: device)
    try audit(.walletLogin, "\(login.rawValue), \(scope.rawValue)", account: wallet.userName, device: device.deviceID)
    return WalletSession(session: token, idleSeconds: idle, scope: scope)
  }

  /// The session that a request presents. The request is activity: the time until the session ends starts again.
  ///
  /// - Parameters:
  ///   - device: The device that signed the request. A session is of no use to another one.
  ///   - scopes: The scopes that may make the request.
  /// - Throws: A refusal with code `notLoggedIn` or `deviceInactive`.
  func session(
    _ request: SignedRequest, of device: SigningDevice, scopes: Set<SessionScope> = [.wallet]
  ) throws(AccessError) -> WalletSessionRecord {
    guard let token = request.token, var session = try transaction.walletSession(TokenDigest(of: token)) else {
      throw .notLoggedIn
    }
    guard session.deviceID == device.deviceID, session.signatureKey == device.storedKey else {
      try auditCounted(.wrongToken, "session of another device", device: device.deviceID)
      throw .notLoggedIn
    }
    guard session.expiresAt > now else {
      try transaction.remove(WalletSessionRecord.self, session.digest)
      try audit(.walletLogout, "inactivity", device: device.deviceID)
      throw .notLoggedIn
    }
    guard let scope = SessionScope(rawValue: session.scope), scopes.contains(scope),
      scope == .lostDevice || device.linked?.wallet == session.wallet
    else { throw .notLoggedIn }
    if scope == .wallet { _ = try device.requireActive() }
    session.expiresAt = now + Int64(idleSeconds(session.idleSeconds)) * 1_000
    try transaction.save(session)
    return session
  }

  /// The limit of inactivity that holds: the issuer's, or a shorter one of the user.
  private func idleSeconds(_ userLimit: Int?) -> Int {
    let issuerLimit = configuration.wallets.requirements.idleSeconds
    return min(issuerLimit, userLimit ?? issuerLimit)
  }

  /// Restarts the time of inactivity of a session, and changes the user's limit when the body has one.
  func renewSession(_ limit: SessionLimit, _ request: SignedRequest) throws(AccessError) -> SessionLimit {
    var session = try session(request, of: try signingDevice(request))
    if let new = limit.idleSeconds {
      session.idleSeconds = new
      session.expiresAt = now + Int64(idleSeconds(new)) * 1_000
      try transaction.save(session)
    }
    return SessionLimit(idleSeconds(session.idleSeconds))
  }

  /// Returns whether a token is that of an open session of a device. Its time of inactivity goes on.
  func isOpen(_ token: String, on device: SigningDevice) throws(AccessError) -> Bool {
    guard let session = try transaction.walletSession(TokenDigest(of: token)), device.linked?.state == .active else {
      return false
    }
    return session.deviceID == device.deviceID && session.signatureKey == device.storedKey
      && session.expiresAt > now && session.scope == SessionScope.wallet.rawValue
      && device.linked?.wallet == session.wallet
  }

  /// Logs out.
  func endSession(_ request: SignedRequest) throws(AccessError) {
    let device = try signingDevice(request)
    let session = try session(request, of: device, scopes: Set(SessionScope.allCases))
    try transaction.remove(WalletSessionRecord.self, session.digest)
    try audit(.walletLogout, "succeeded", account: try wallet(session.wallet).userName, device: device.deviceID)
  }

  /// Makes a token that the device may use once. The oldest ones of the user name end that are too many.
  func newWalletToken(
    _ purpose: WalletTokenRecord.Purpose, _ wallet: EnrolledWalletRecord?, userName: String, for device: SigningDevice,
    questionID: String? = nil, lifetime: Int64
  ) throws(AccessError) -> String {
    let token = environment.newToken()
    for former in try transaction.walletTokens(of: userName).dropLast(RecordLimits.walletTokens - 1) {
      try transaction.remove(WalletTokenRecord.self, former.digest)
    }
    try transaction.save(
      WalletTokenRecord(
        digest: TokenDigest(of: token), purpose: purpose, wallet: wallet?.id, userName: userName,
        deviceID: device.deviceID, signatureKey: device.storedKey, questionID: questionID, createdAt: now,
        expiresAt: now + lifetime))
    return token
  }

  /// Finds a token of a device.
  ///
  /// - Throws: A refusal with code `wrongCredentials` for a token that is unknown, used, expired, of another device or
  ///   for another purpose.
  func walletToken(
    _ text: String, of device: SigningDevice, for purposes: Set<WalletTokenRecord.Purpose>
  ) throws(AccessError) -> WalletTokenRecord {
    try usable(try transaction.walletToken(TokenDigest(of: text)), of: device, for: purposes)
  }

  /// Checks that a token may be used.
  ///
  /// - Throws: As `walletToken`.
  func usable(
    _ token: WalletTokenRecord?, of device: SigningDevice, for purposes: Set<WalletTokenRecord.Purpose>
  ) throws(AccessError) -> WalletTokenRecord {
    guard let token, token.expiresAt > now, token.usedAt == nil,
      purposes.contains(token.purpose), token.deviceID == device.deviceID, token.signatureKey == device.storedKey
    else { throw .wrongCredentials }
    return token
  }
}

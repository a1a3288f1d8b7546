public import AccessMessages
internal import DeviceAuthentication
internal import Documents
public import JSON
internal import MobileAuthentication
internal import Octets

// The session of the wallet: sealed by a key of the device, in the local data, until logout.
extension WalletAccess {
  /// Keeps a new session in place of a former one.
  func open(_ session: WalletSession) async throws(WalletAccessError) {
    let (mark, idleSeconds) = (device.clocks.now, session.idleSeconds)
    let token = try await seal(session.session, for: .walletSession)
    do throws(WalletAccessError) {
      try await change { record in
        record.session = WalletSessionRecord(
          token: token, idleSeconds: idleSeconds, lastActivity: mark, lastRequest: mark)
        record.hasExpiredSession = false
        record.formerDeviceID = nil
      }
    } catch {
      try? await device.ports.keys.delete(token.sealingKey)
      throw error
    }
  }

  /// Removes the session from this device. The server is not informed.
  func forgetSession() async throws(WalletAccessError) { try await change { $0.session = nil } }

  /// The token of the open session.
  ///
  /// - Throws: `.notLoggedIn`; `.sessionExpired`, once, after the session has ended because it was inactive for too long;
  ///   `.keysLost` after this has removed the wallet.
  func sessionToken() async throws(WalletAccessError) -> String {
    _ = try await logOutIfInactive()
    if try await record().hasExpiredSession {
      try await change { $0.hasExpiredSession = false }
      throw .sessionExpired
    }
    guard let token = try await openedToken() else { throw .notLoggedIn }
    return token
  }

  /// The token of the session, however long that was inactive; nil without a session.
  func openedToken() async throws(WalletAccessError) -> String? {
    guard let session = try await record().session else { return nil }
    let failure: DeviceAuthenticationError
    do throws(DeviceAuthenticationError) {
      return try await session.token.open(for: .walletSession, in: device.ports.keys).exposedText
    } catch { failure = error }
    guard case .keysLost = WalletAccessError(failure) else { throw WalletAccessError(failure) }
    // Another process has ended the session: it removes the record first and the key afterwards.
    guard try await record().session?.token == session.token else { return nil }
    if try await isOutdated(after: failure) {
      try await change { if $0.session?.token == session.token { $0.session = nil } }
      return nil
    }
    try await loseKeys()
    throw .keysLost
  }

  /// Whether a sealed secret of the record is an older copy's: the device has deleted its key, as every operation does that
  /// ends a secret, and the identity of the device works. A removed lock ends all keys.
  func isOutdated(after error: DeviceAuthenticationError) async throws(WalletAccessError) -> Bool {
    guard case .authenticationKeyMissing = error else { return false }
    return try await hasWorkingIdentity()
  }

  /// Sends a request under the session. It counts as activity of the user.
  ///
  /// - Returns: An answer with a status of 200 to 299.
  /// - Throws: `.notLoggedIn`; `.sessionExpired` when this or the server has ended the session; the errors of `send`.
  public func sendInSession(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
  ) async throws(WalletAccessError) -> HTTPResponse {
    let token = try await sessionToken()
    try await recordActivity(isRequest: true)
    do throws(WalletAccessError) {
      return try await send(method, path, body, token: token)
    } catch .notLoggedIn {
      try await forgetSession()
      throw .sessionExpired
    }
  }

  /// Restarts the time of inactivity on this device.
  ///
  /// - Parameter isRequest: Whether a request restarts it at the server too.
  func recordActivity(isRequest: Bool = false) async throws(WalletAccessError) {
    let mark = device.clocks.now
    try await change { record in
      record.session?.lastActivity = mark
      if isRequest { record.session?.lastRequest = mark }
    }
  }

  /// Whether a quarter of the limit of inactivity has passed since the last request under the session.
  func needsRenewal() async throws(WalletAccessError) -> Bool {
    let record = try await record()
    guard let session = record.session else { return false }
    let limit = min(session.idleSeconds, record.idleSeconds ?? session.idleSeconds)
    return device.clocks.now.elapsed(since: session.lastRequest) >= .seconds(limit) / 4
  }

  /// Restarts the time of inactivity at the server, and changes the user's limit there.
  ///
  /// - Returns: The limit that holds, in seconds.
  func renewSession(_ limit: SessionLimit) async throws(WalletAccessError) -> Int? {
    let response: HTTPResponse
    do throws(WalletAccessError) {
      response = try await sendInSession(.patch, WalletPath.currentSession, limit.json)
    } catch {
      // An older server has the issuer's limit only, and each request renews it.
      guard case .refused(let refusal) = error, [404, 405].contains(refusal.httpStatus) else { throw error }
      return nil
    }
    guard let seconds = try Self.body(response, SessionLimit.init).idleSeconds else { return nil }
    try await change { $0.session?.idleSeconds = seconds }
    return seconds
  }

  /// The user's own limit as a login sends it; nil without one.
  func userLimit() async throws(WalletAccessError) -> Int? {
    try await record().idleSeconds.map { min($0, SessionLimit.range.upperBound) }
  }
}

// Secrets of the wallet, each under a sealing key of its own.
extension WalletAccess {
  func seal(_ text: String, for purpose: SealingPurpose) async throws(WalletAccessError) -> SealedSecret {
    try await converting(WalletAccessError.init) { () async throws(DeviceAuthenticationError) in
      try await seal(text, for: purpose, with: try await device.ports.keys.create(.sealing))
    }
  }

  /// Seals a text under a new key, which is deleted after an error.
  func seal(
    _ text: String, for purpose: SealingPurpose, with key: KeyIdentifier
  ) async throws(DeviceAuthenticationError) -> SealedSecret {
    do throws(DeviceAuthenticationError) {
      var octets = Array(text.utf8)
      return try await SealedSecret.seal(Secret(wiping: &octets), for: purpose, with: key, in: device.ports.keys)
    } catch {
      try? await device.ports.keys.delete(key)
      throw error
    }
  }
}

extension Secret {
  /// An unprotected copy as text, for a header or a body that is sent.
  var exposedText: String {
    withExposedOctets { octets in octets.withWipedCopy { String(decoding: $0, as: UTF8.self) } }
  }
}

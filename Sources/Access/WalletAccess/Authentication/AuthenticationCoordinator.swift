public import AccessMessages
internal import Documents
public import MobileAuthentication

/// Logs the user in and out.
public struct AuthenticationCoordinator: Sendable {
  private let wallet: WalletAccess

  /// Creates a coordinator.
  public init(_ wallet: WalletAccess) { self.wallet = wallet }

  /// Logs in by user name and password. On a device that is not linked the issuer asks one of the questions that the user
  /// has answered at enrolment; the right answer links the device. A device that has lost its keys is linked anew.
  ///
  /// - Throws: `.wrongCredentials` for a wrong password or answer; `.alreadyLoggedIn` and `.inactive` before the password is
  ///   sent.
  public func login(
    userName: String, password: EnteredSecret, answering questions: any SecurityQuestionResponder
  ) async throws(WalletAccessError) -> LoginResult {
    try await wallet.renewLostIdentity()
    // Removes a wallet whose session has lost its key.
    _ = try await DeviceCoordinator(wallet).isLoggedIn()
    _ = try await wallet.checkLogin()
    let request = SessionRequest.password(userName: userName, password: try password.text, .wallet)
    let result: LoginResult
    switch try await wallet.logIn(request) {
    case .session(let session): result = try await wallet.open(session, by: .password)
    case .question(let prompt):
      let session = try await wallet.answer(
        prompt, asking: questions, device: try await wallet.description())
      result = try await wallet.open(session, by: .password, linkedDevice: true)
    }
    try await wallet.change { $0.userName = userName }
    return result
  }

  /// Logs in by PIN.
  ///
  /// - Throws: `.wrongPIN` for a wrong PIN; `.unlinked` after the issuer's last attempt, when this has removed the
  ///   wallet from the device; `.alreadyLoggedIn`, `.inactive` and `.notLinked` before the PIN is sent.
  public func login(pin: EnteredSecret) async throws(WalletAccessError) -> LoginResult {
    guard try await wallet.checkLogin().isRegistered else { throw .notLinked }
    return try await wallet.open(wallet.logIn(pin: pin), by: .pin)
  }

  /// Ends the session. It ends on this device also when the server is not reached.
  ///
  /// - Throws: `.notLoggedIn`, or an error of the device.
  public func logout() async throws(WalletAccessError) -> LogoutResult {
    guard let result = try await wallet.endSession() else { throw .notLoggedIn }
    return result
  }

  /// Restarts the time of inactivity, for an activity of the user without a request. At the server it is restarted when a
  /// quarter of the limit has passed since the last request under the session; a server that is not reached ends the session
  /// by its own time.
  ///
  /// - Throws: `.notLoggedIn`; `.sessionExpired` when this or the server has ended the session.
  public func recordActivity() async throws(WalletAccessError) {
    _ = try await wallet.sessionToken()
    guard try await wallet.needsRenewal() else { return try await wallet.recordActivity() }
    do throws(WalletAccessError) {
      _ = try await wallet.renewSession(SessionLimit(nil))
    } catch .invocationFailed {
      try await wallet.recordActivity()
    }
  }

  /// Sets the user's own limit of inactivity, which the next login sends. An open session gets it at once. One above the
  /// issuer's has no effect.
  ///
  /// - Parameter seconds: 1 or more; nil for no limit of the user's own. Other numbers trap.
  /// - Returns: The limit of the open session, in seconds; nil without a session.
  /// - Throws: The errors of a request under the session; the limit is stored all the same.
  @discardableResult
  public func setInactivityLimit(seconds: Int?) async throws(WalletAccessError) -> Int? {
    precondition((seconds ?? 1) >= 1, "a limit of inactivity is at least 1 s, not \(seconds ?? 1) s")
    try await wallet.change { $0.idleSeconds = seconds.map { min($0, 31_536_000) } }
    guard try await wallet.openedToken() != nil else { return nil }
    return try await wallet.renewSession(
      SessionLimit(min(seconds ?? SessionLimit.range.upperBound, SessionLimit.range.upperBound)))
  }

  /// Changes the PIN of the wallet, in its session.
  ///
  /// - Throws: `.profile(.weakPIN)` before a new PIN is sent that does not meet the issuer's requirements; `.wrongPIN` for a
  ///   wrong present PIN, and `.unlinked` after the last attempt, when this has removed the wallet; the errors of a request
  ///   under the session.
  public func changePIN(
    _ pin: EnteredSecret, to new: EnteredSecret, under requirements: WalletRequirements
  ) async throws(WalletAccessError) {
    if let reason = requirements.pin.shortcoming(of: try new.text) { throw .profile(.weakPIN(reason)) }
    let body = PINReplacement(pin: try pin.text, newPIN: try new.text)
    do throws(WalletAccessError) {
      _ = try await wallet.sendInSession(.post, WalletPath.pin, body.json)
    } catch .unlinked {
      try await wallet.wipe()
      throw .unlinked
    }
  }

  /// Logs out when the session was inactive for too long.
  ///
  /// - Returns: How the session was ended; nil when it is open, and without a session.
  public func logOutIfInactive() async throws(WalletAccessError) -> LogoutResult? {
    try await wallet.logOutIfInactive()
  }

  /// Waits until the session has ended, also by a logout in another process, or was inactive for too long. Notices both within
  /// 250 ms. Does not log out: the next operation does, and names the reason.
  ///
  /// - Throws: `.cancelled` in a cancelled task, or an error of the local data.
  public func waitForSessionEnd() async throws(WalletAccessError) { try await wallet.waitForSessionEnd() }

  /// Waits until the session ends, and logs out by itself when it was inactive for too long.
  ///
  /// - Returns: How the session was ended; nil when it ended in another way.
  public func watchInactivity() async throws(WalletAccessError) -> LogoutResult? { try await wallet.watchInactivity() }
}

// The steps of a login.
extension WalletAccess {
  /// The answer to a login.
  enum LoginAnswer {
    case session(WalletSession)
    case question(QuestionPrompt)
  }

  /// Checks the device before a login. The status is requested each time, since the issuer can deactivate the device and end
  /// its session.
  func checkLogin() async throws(WalletAccessError) -> DeviceStatus {
    let coordinator = DeviceCoordinator(self)
    let status = try await coordinator.status()
    guard try await !coordinator.isLoggedIn() else { throw .alreadyLoggedIn }
    if status.isRegistered && !status.isActive { throw .inactive }
    return status
  }

  /// Sends the credentials.
  func logIn(_ request: SessionRequest) async throws(WalletAccessError) -> LoginAnswer {
    let opening = SessionOpening(request, idleSeconds: try await userLimit())
    let response = try await exchange(.post, WalletPath.sessions, opening.json)
    switch response.status {
    case 200: return .session(try Self.body(response, WalletSession.init))
    case 412: return .question(try Self.body(response, QuestionPrompt.init))
    default: throw Self.error(for: response)
    }
  }

  /// Sends credentials to which no question follows.
  func session(_ request: SessionRequest) async throws(WalletAccessError) -> WalletSession {
    guard case .session(let session) = try await logIn(request) else {
      throw .malformed("it has a question, and this login needs none")
    }
    return session
  }

  /// Logs in by PIN without a check of the device. After the last attempt this removes the wallet.
  func logIn(pin: EnteredSecret) async throws(WalletAccessError) -> WalletSession {
    do throws(WalletAccessError) {
      return try await session(.pin(try pin.text))
    } catch .unlinked {
      try await wipe()
      throw .unlinked
    }
  }

  /// Asks the user a question and sends the answer.
  func answer(
    _ prompt: QuestionPrompt, asking questions: any SecurityQuestionResponder, device: WalletDevice?
  ) async throws(WalletAccessError) -> WalletSession {
    let answer = try await ask { () async throws(InteractionCancelled) in try await questions.answer(to: prompt) }
    let body = QuestionAnswer(
      token: prompt.token, answer: try answer.text, device: device, idleSeconds: try await userLimit())
    return try Self.body(try await send(.post, WalletPath.questionAnswers, body.json), WalletSession.init)
  }

  /// Keeps a session.
  func open(
    _ session: WalletSession, by method: LoginMethod, linkedDevice: Bool = false
  ) async throws(WalletAccessError) -> LoginResult {
    try await open(session)
    return LoginResult(method: method, linkedDevice: linkedDevice, idleSeconds: session.idleSeconds)
  }

  /// Asks the user. A cancelled task is a cancelling user.
  func ask<Value: Sendable>(
    _ body: () async throws(InteractionCancelled) -> Value
  ) async throws(WalletAccessError) -> Value {
    let value = try await converting({ _ in WalletAccessError.cancelled }, body)
    guard !Task.isCancelled else { throw .cancelled }
    return value
  }
}

extension EnteredSecret {
  /// The entry as it is sent.
  var text: String {
    get throws(WalletAccessError) {
      guard let text = exposedText() else { throw .malformed("the entry is not text in UTF-8") }
      return text
    }
  }
}

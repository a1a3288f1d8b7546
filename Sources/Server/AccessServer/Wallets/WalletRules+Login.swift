internal import AccessMessages
internal import ServerStore

/// A secret that is compared with its hash between two transactions.
struct SecretAttempt: Sendable {
  let device: SigningDevice
  /// The user name, in lower case.
  let userName: String
  /// The wallet; nil for a user name that does not exist.
  let wallet: EnrolledWalletRecord?
  /// The hash; nil for a user name that does not exist.
  let hash: SaltedHash?
}

/// What follows from a login that is not refused.
enum LoginOutcome: Sendable {
  case session(WalletSession)
  /// The password is right, and a security question must be answered.
  case question(QuestionPrompt)
}

// A secret is compared between two transactions: the first finds its hash, and the second decides on the result.
extension AccessService {
  /// Logs in at a wallet.
  func logIn(_ opening: SessionOpening, _ request: SignedRequest) async throws(AccessError) -> LoginOutcome {
    let limit = opening.idleSeconds
    switch opening.request {
    case .nonce(let nonce, let device):
      return .session(try await decide(request) { try $0.logInByNonce(nonce, device, request, limit) })
    case .biometricToken(let token):
      return .session(try await decide(request) { try $0.logInByBiometrics(token, request, limit) })
    case .pin(let pin):
      let attempt = try await decide(request) { try $0.beginPinLogin(request) }
      let isRight = try await hashing.matches(pin, attempt.hash, as: .short, for: request.address)
      return .session(try await decide(request) { try $0.finishPinLogin(attempt, isRight: isRight, limit) })
    case .password(let userName, let password, let scope):
      let attempt = try await decide(request) { try $0.beginPasswordLogin(userName, request) }
      let isRight = try await hashing.matches(password, attempt.hash, as: .password, for: request.address)
      return try await decide(request) { try $0.finishPasswordLogin(attempt, isRight: isRight, scope, limit) }
    }
  }
}

extension WalletRules {
  /// Logs in with the nonce of an enrolment, and links the device.
  func logInByNonce(
    _ nonce: String, _ described: WalletDevice, _ request: SignedRequest, _ userLimit: Int?
  ) throws(AccessError) -> WalletSession {
    let (device, read) = try signingDevice(request, expectsLink: false) { store, deviceID throws(AccessError) in
      (
        token: try store.walletToken(TokenDigest(of: nonce)), sessions: try store.walletSessions(onDevice: deviceID)
      )
    }
    try device.check(described)
    guard device.linked == nil else { throw .deviceLinked }
    let token = try usable(read.token, of: device, for: [.enrolment])
    guard let id = token.wallet else { throw .wrongCredentials }
    try transaction.remove(WalletTokenRecord.self, token.digest)
    let wallet = try LinkReads(id, in: transaction)
    return try beginSession(
      wallet.wallet, on: try link(described, with: wallet, device), .nonce, userLimit: userLimit, former: read.sessions)
  }

  /// Finds the hash of a password.
  ///
  /// - Throws: A refusal with code `tooManyFailures`.
  func beginPasswordLogin(_ entered: String, _ request: SignedRequest) throws(AccessError) -> SecretAttempt {
    let (device, read) = try signingDevice(request) { store, deviceID throws(AccessError) in
      let userName = EnteredForm.userName(entered)
      let subject = FailureSubject.guess(.password, userName: userName, .linked(deviceID: deviceID))
      return (wallet: try store.wallet(named: userName), failures: try store.countedFailures(of: subject))
    }
    var wallet = read.wallet
    if wallet == nil { wallet = try self.wallet(entered: entered) }
    let userName = wallet?.userName ?? EnteredForm.userName(entered)
    try checkGuesses(
      .password, userName: userName, origin(device, wallet: wallet?.id), limit: configuration.failureLimits.perAccount,
      read.failures)
    return SecretAttempt(
      device: device, userName: userName, wallet: wallet, hash: try (wallet?.passwordHash).map(SaltedHash.init(stored:))
    )
  }

  /// Decides what follows from a password: a session on a device of the wallet, a question on another one.
  ///
  /// Guesses that are made at the same time are counted here, one after the other.
  func finishPasswordLogin(
    _ attempt: SecretAttempt, isRight: Bool, _ scope: SessionScope, _ userLimit: Int?
  ) throws(AccessError) -> LoginOutcome {
    let origin = origin(attempt.device, wallet: attempt.wallet?.id)
    let subject = FailureSubject.guess(.password, userName: attempt.userName, origin)
    let (read, failures) = try transaction.readTogether { store throws(AccessError) in
      (try AttemptReads(attempt, in: store), try store.countedFailures(of: subject))
    }
    let limit = configuration.failureLimits.perAccount
    try checkGuesses(.password, userName: attempt.userName, origin, limit: limit, failures)
    guard isRight, let found = attempt.wallet, let wallet = read.wallet, wallet.passwordHash == found.passwordHash
    else {
      try countGuess(.password, userName: attempt.userName, origin)
      try audit(
        .walletLogin, "wrong password", account: attempt.wallet?.userName, device: attempt.device.deviceID)
      throw .wrongCredentials
    }
    try transaction.remove(FailureRecord.self, subject.text)
    let device = try current(attempt.device, read.linked)
    if scope == .lostDevice { return .question(try question(.lostDevice, wallet, for: device)) }
    guard let linked = device.linked else { return .question(try question(.login, wallet, for: device)) }
    guard linked.wallet == wallet.id else { throw .deviceLinked }
    _ = try device.requireActive()
    return .session(
      try beginSession(wallet, on: device, .password, userLimit: userLimit, former: read.sessions))
  }

  /// Finds the hash of the PIN of a linked device.
  ///
  /// - Throws: A refusal: `notRegistered`, `deviceInactive`, `notAllowed`.
  func beginPinLogin(_ request: SignedRequest) throws(AccessError) -> SecretAttempt {
    let (device, _, wallet) = try linkedDevice(request)
    guard configuration.wallets.requirements.pinLogin else {
      throw .refused(.notAllowed, "the issuer does not allow the login by PIN: log in by password")
    }
    return SecretAttempt(
      device: device, userName: wallet.userName, wallet: wallet, hash: try SaltedHash(stored: wallet.pinHash))
  }

  /// Begins a session, or counts a wrong PIN. The last allowed one unlinks the device.
  ///
  /// Guesses that are made at the same time are counted here, one after the other.
  func finishPinLogin(_ attempt: SecretAttempt, isRight: Bool, _ userLimit: Int?) throws(AccessError) -> WalletSession {
    let read = try transaction.readTogether { store throws(AccessError) in try AttemptReads(attempt, in: store) }
    let device = try current(attempt.device, read.linked)
    return try beginSession(
      try finishPin(attempt, device, read.wallet, isRight: isRight), on: device, .pin, userLimit: userLimit,
      former: read.sessions)
  }

  /// Returns the wallet of a right PIN, or counts a wrong one. The last allowed one unlinks the device.
  ///
  /// - Parameter read: The wallet of the attempt as it is now; nil when it does not exist any more.
  func finishPin(
    _ attempt: SecretAttempt, _ device: SigningDevice, _ read: EnrolledWalletRecord?, isRight: Bool
  ) throws(AccessError) -> EnrolledWalletRecord {
    var linked = try device.requireActive()
    let wallet = if let read, read.id == linked.wallet { read } else { try wallet(linked.wallet) }
    guard isRight, wallet.id == attempt.wallet?.id, wallet.pinHash == attempt.wallet?.pinHash else {
      linked.pinFailures += 1
      let left = configuration.wallets.requirements.pinAttempts - linked.pinFailures
      guard left > 0 else {
        try unlink(linked, "too many wrong PINs")
        throw .refused(
          .deviceUnlinked, "the PIN was wrong too often: the device is unlinked", lockout: "pin")
      }
      try transaction.save(linked)
      try audit(.walletLogin, "wrong PIN", account: wallet.userName, device: linked.deviceID)
      let rest = left == 1 ? "1 attempt is left" : "\(left) attempts are left"
      throw .refused(.wrongCredentials, "the PIN is wrong: \(rest)", attemptsLeft: left)
    }
    if linked.pinFailures > 0 {
      linked.pinFailures = 0
      try transaction.save(linked)
    }
    return wallet
  }

  /// Logs in with the token that the device released after biometrics.
  func logInByBiometrics(_ token: String, _ request: SignedRequest, _ userLimit: Int?) throws(AccessError)
    -> WalletSession
  {
    let (device, linked, wallet) = try linkedDevice(request)
    guard configuration.wallets.requirements.biometricLogin else { throw .noBiometrics }
    guard let known = linked.biometricToken, known == TokenDigest(of: token) else {
      try auditCounted(.walletLogin, "wrong biometric token", device: linked.deviceID)
      throw .wrongCredentials
    }
    return try beginSession(wallet, on: device, .biometrics, userLimit: userLimit)
  }
}

extension WalletRules {
  /// The active device that signed a request, and its wallet.
  private func linkedDevice(_ request: SignedRequest) throws(AccessError) -> (
    SigningDevice, WalletDeviceRecord, EnrolledWalletRecord
  ) {
    let (device, found) = try signingDevice(request) { store, id throws(AccessError) in
      try store.wallet(ofDevice: id)
    }
    let linked = try device.requireActive()
    guard let wallet = found, wallet.id == linked.wallet else {
      throw .damaged("a device refers to a wallet that does not exist")
    }
    return (device, linked, wallet)
  }
}

/// What the store has of an attempt when its secret was compared.
private struct AttemptReads {
  /// The device, when it is linked with a wallet.
  let linked: WalletDeviceRecord?
  /// The sessions on the device.
  let sessions: [WalletSessionRecord]
  /// The wallet of the attempt.
  let wallet: EnrolledWalletRecord?

  /// Asks for all of it.
  init(_ attempt: SecretAttempt, in store: AccessTransaction) throws(AccessError) {
    linked = try store.walletDevice(attempt.device.deviceID)
    sessions = try store.walletSessions(onDevice: attempt.device.deviceID)
    wallet = try attempt.wallet.flatMap { (wallet) throws(AccessError) in try store.wallet(wallet.id) }
  }
}

extension AccessError {
  /// The issuer has turned biometrics off.
  static let noBiometrics = refused(.notAllowed, "the issuer does not allow the login by biometrics")
}

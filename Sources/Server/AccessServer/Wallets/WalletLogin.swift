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
    try prefetch(for: request) { store, deviceID throws(AccessError) in
      _ = try store.count(
        of: .unlinkedWalletRequests(address: network), atMost: RecordLimits.usedIdentifiersPerAddress, at: now)
      _ = try store.walletToken(TokenDigest(of: nonce))
      _ = try store.walletSessions(onDevice: deviceID)
    }
    let device = try signingDevice(request)
    try device.check(described)
    guard device.linked == nil else { throw .deviceLinked }
    let token = try walletToken(nonce, of: device, for: [.enrolment])
    guard let id = token.wallet else { throw .wrongCredentials }
    try transaction.remove(WalletTokenRecord.self, token.digest)
    try transaction.prefetch { store throws(AccessError) in
      _ = try store.wallet(id)
      _ = try store.walletDevices(of: id)
      _ = try store.deactivations(of: .wallet(id))
    }
    let wallet = try wallet(id)
    return try beginSession(wallet, on: try link(described, with: wallet, device), .nonce, userLimit: userLimit)
  }

  /// Finds the hash of a password.
  ///
  /// - Throws: A refusal with code `tooManyFailures`.
  func beginPasswordLogin(_ entered: String, _ request: SignedRequest) throws(AccessError) -> SecretAttempt {
    try prefetch(for: request) { store, deviceID throws(AccessError) in
      let userName = EnteredForm.userName(entered)
      _ = try store.wallet(named: userName)
      _ = try store.failures(of: FailureSubject.guess(.password, userName: userName, .linked(deviceID: deviceID)).text)
    }
    let device = try signingDevice(request)
    let wallet = try wallet(entered: entered)
    let userName = wallet?.userName ?? EnteredForm.userName(entered)
    try checkGuesses(
      .password, userName: userName, origin(device, wallet: wallet?.id), limit: configuration.failureLimits.perAccount)
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
    let subject = FailureSubject.guess(.password, userName: attempt.userName, origin).text
    try prefetch(for: attempt) { store throws(AccessError) in _ = try store.failures(of: subject) }
    let limit = configuration.failureLimits.perAccount
    try checkGuesses(.password, userName: attempt.userName, origin, limit: limit)
    guard isRight, let found = attempt.wallet, let wallet = try transaction.wallet(found.id),
      wallet.passwordHash == found.passwordHash
    else {
      try countGuess(.password, userName: attempt.userName, origin)
      try audit(
        .walletLogin, "wrong password", account: attempt.wallet?.userName, device: attempt.device.deviceID)
      throw .wrongCredentials
    }
    try transaction.remove(FailureRecord.self, subject)
    let device = try current(attempt.device)
    if scope == .lostDevice { return .question(try question(.lostDevice, wallet, for: device)) }
    guard let linked = device.linked else { return .question(try question(.login, wallet, for: device)) }
    guard linked.wallet == wallet.id else { throw .deviceLinked }
    _ = try device.requireActive()
    return .session(try beginSession(wallet, on: device, .password, userLimit: userLimit))
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
    try prefetch(for: attempt)
    let device = try current(attempt.device)
    return try beginSession(try finishPin(attempt, device, isRight: isRight), on: device, .pin, userLimit: userLimit)
  }

  /// Returns the wallet of a right PIN, or counts a wrong one. The last allowed one unlinks the device.
  func finishPin(_ attempt: SecretAttempt, _ device: SigningDevice, isRight: Bool) throws(AccessError)
    -> EnrolledWalletRecord
  {
    var linked = try device.requireActive()
    let wallet = try wallet(linked.wallet)
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
    let found = try linkedWallet(request)
    let device = try signingDevice(request)
    let linked = try device.requireActive()
    guard let wallet = found, wallet.id == linked.wallet else {
      throw .damaged("a device refers to a wallet that does not exist")
    }
    return (device, linked, wallet)
  }

  /// The wallet of the device that claims to have signed a request. Reads in advance what the check of the signature reads.
  private func linkedWallet(_ request: SignedRequest) throws(AccessError) -> EnrolledWalletRecord? {
    let id = try prefetch(for: request) { store, id throws(AccessError) in _ = try store.wallet(ofDevice: id) }
    return try id.flatMap(transaction.wallet(ofDevice:))
  }

  /// Reads in advance what the check of the signature of a request reads.
  ///
  /// - Parameter others: Asks for what the rules of the request read, of the device that claims to have signed it.
  /// - Returns: The identifier of that device; nil without a signature, which is refused later.
  @discardableResult
  private func prefetch(
    for request: SignedRequest, _ others: (AccessTransaction, _ deviceID: String) throws(AccessError) -> Void
  ) throws(AccessError) -> String? {
    guard let text = request.signature, let signer = try? DeviceSignature.signer(of: text) else { return nil }
    let id = signer.deviceID
    try transaction.prefetch { store throws(AccessError) in
      try others(store, id)
      _ = try store.walletDevice(id)
      if let key = signer.key { _ = try store.movedDevice(formerKey: key.digest) }
      let used = CountedRecords.usedWalletRequests(device: id)
      guard environment.allowances.isUsed(used) else { return }
      _ = try store.count(of: used, atMost: RecordLimits.usedIdentifiers, at: now)
    }
    return id
  }

  /// Reads in advance what decides on an attempt, and the sessions on its device.
  private func prefetch(
    for attempt: SecretAttempt, _ others: (AccessTransaction) throws(AccessError) -> Void = { _ throws(AccessError) in }
  ) throws(AccessError) {
    try transaction.prefetch { store throws(AccessError) in
      try others(store)
      _ = try store.walletDevice(attempt.device.deviceID)
      _ = try store.walletSessions(onDevice: attempt.device.deviceID)
      if let wallet = attempt.wallet { _ = try store.wallet(wallet.id) }
    }
  }
}

extension AccessError {
  /// The issuer has turned biometrics off.
  static let noBiometrics = refused(.notAllowed, "the issuer does not allow the login by biometrics")
}

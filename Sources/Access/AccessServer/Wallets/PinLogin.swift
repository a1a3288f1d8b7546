internal import AccessMessages

extension Rules {
  /// Finds the hash of the PIN of a linked device.
  ///
  /// - Throws: `AccessFailure`: `notRegistered`, `deviceInactive`, `notAllowed`.
  func beginPinLogin(_ call: Call) throws -> SecretAttempt {
    let device = try signingDevice(call)
    let linked = try device.requireActive()
    guard configuration.wallets.requirements.pinLogin else {
      throw AccessFailure(.notAllowed, "the issuer does not allow the login by PIN: log in by password")
    }
    let wallet = try wallet(linked.wallet)
    return SecretAttempt(
      device: device, userName: wallet.userName, wallet: wallet, hash: try SaltedHash(stored: wallet.pinHash))
  }

  /// Begins a session, or counts a wrong PIN. The last allowed one unlinks the device.
  ///
  /// Guesses that are made at the same time are counted here, one after the other.
  func finishPinLogin(_ attempt: SecretAttempt, isRight: Bool) throws -> WalletSession {
    let device = try current(attempt.device)
    var linked = try device.requireActive()
    let wallet = try wallet(linked.wallet)
    guard isRight, wallet.id == attempt.wallet?.id, wallet.pinHash == attempt.wallet?.pinHash else {
      linked.pinFailures += 1
      let left = configuration.wallets.requirements.pinAttempts - linked.pinFailures
      guard left > 0 else {
        try unlink(linked, "too many wrong PINs")
        throw AccessFailure(.deviceUnlinked, "the PIN was wrong too often: the device is unlinked")
      }
      try transaction.save(linked)
      try audit(.walletLogin, "wrong PIN", account: wallet.userName, device: linked.deviceID)
      throw AccessFailure(.wrongCredentials, "the PIN is wrong: \(left) attempts are left", attemptsLeft: left)
    }
    if linked.pinFailures > 0 {
      linked.pinFailures = 0
      try transaction.save(linked)
    }
    return try beginSession(wallet, on: device, .pin)
  }

  /// Logs in with the token that the device released after biometrics.
  func logIn(biometricToken: String, _ call: Call) throws -> WalletSession {
    let device = try signingDevice(call)
    let linked = try device.requireActive()
    guard configuration.wallets.requirements.biometricLogin else { throw AccessFailure.noBiometrics }
    let wallet = try wallet(linked.wallet)
    guard let known = linked.biometricToken, known == TokenDigest(of: biometricToken) else {
      try auditCounted(.walletLogin, "wrong biometric token", device: linked.deviceID)
      throw AccessFailure.wrongCredentials
    }
    return try beginSession(wallet, on: device, .biometrics)
  }

  /// Makes the token for the login by biometrics. An earlier one is withdrawn.
  ///
  /// - Throws: `AccessFailure` with code `notLoggedIn`, or `notAllowed` unless the user logged in by PIN and the issuer
  ///   allows biometrics.
  func enableBiometrics(_ call: Call) throws -> BiometricToken {
    let device = try signingDevice(call)
    let session = try session(call, of: device)
    guard configuration.wallets.requirements.biometricLogin else { throw AccessFailure.noBiometrics }
    guard session.login == .pin else {
      throw AccessFailure(.notAllowed, "the login by biometrics is enabled after a login by PIN: log in by PIN")
    }
    var linked = try device.requireActive()
    let token = newToken()
    linked.biometricToken = TokenDigest(of: token)
    try transaction.save(linked)
    try audit(.biometrics, "enabled", account: try wallet(linked.wallet).userName, device: linked.deviceID)
    return BiometricToken(token: token)
  }

  /// Withdraws the token for the login by biometrics. The signature of the device authorises it, since a user also removes
  /// biometric login while logged out. A device without a token succeeds.
  ///
  /// - Throws: `AccessFailure` with code `notRegistered`.
  func disableBiometrics(_ call: Call) throws {
    guard var linked = try signingDevice(call).linked else { throw AccessFailure.notRegistered }
    guard linked.biometricToken != nil else { return }
    linked.biometricToken = nil
    try transaction.save(linked)
    try audit(.biometrics, "disabled", account: try wallet(linked.wallet).userName, device: linked.deviceID)
  }
}

extension AccessFailure {
  fileprivate static let noBiometrics = AccessFailure(
    .notAllowed, "the issuer does not allow the login by biometrics")
}

extension AccessService {
  /// Logs in by PIN.
  func logIn(pin: String, _ call: Call) async throws -> WalletSession {
    let attempt = try await decide(call) { try $0.beginPinLogin(call) }
    let isRight = try await hashing.matches(pin, attempt.hash, as: .short, for: call.request.address)
    return try await decide(call) { try $0.finishPinLogin(attempt, isRight: isRight) }
  }
}

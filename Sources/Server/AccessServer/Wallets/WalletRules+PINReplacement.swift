internal import AccessMessages
internal import ServerStore

extension WalletRules {
  /// Checks the new PIN of a session's wallet, and finds the hash of the present one.
  ///
  /// - Throws: A refusal: `notLoggedIn`, `requirementsNotMet`, and the failures of a login by PIN.
  func beginPINReplacement(_ new: String, _ request: SignedRequest) throws(AccessError) -> SecretAttempt {
    let device = try signingDevice(request)
    _ = try session(request, of: device)
    let linked = try device.requireActive()
    if let shortcoming = configuration.wallets.requirements.pin.shortcoming(of: new) {
      throw .refused(.requirementsNotMet, shortcoming)
    }
    let wallet = try wallet(linked.wallet)
    return SecretAttempt(
      device: device, userName: wallet.userName, wallet: wallet, hash: try SaltedHash(stored: wallet.pinHash))
  }

  /// Checks the present PIN, before the new one is hashed. A wrong one counts as at a login.
  func checkPIN(_ attempt: SecretAttempt, isRight: Bool) throws(AccessError) {
    _ = try finishPin(attempt, try current(attempt.device), nil, isRight: isRight)
  }

  /// Replaces the PIN. The other sessions of the wallet end, since another person may have begun them with the former PIN.
  /// Biometric logins stay, since they need the user.
  func finishPINReplacement(_ attempt: SecretAttempt, hash: String, _ request: SignedRequest) throws(AccessError) {
    let device = try current(attempt.device)
    let session = try session(request, of: device)
    var wallet = try wallet(session.wallet)
    guard wallet.id == attempt.wallet?.id, wallet.pinHash == attempt.wallet?.pinHash else {
      throw .wrongCredentials
    }
    wallet.pinHash = hash
    try transaction.save(wallet)
    for other in try transaction.walletSessions(of: wallet.id) where other.digest != session.digest {
      try transaction.remove(WalletSessionRecord.self, other.digest)
    }
    try audit(.recovery, "PIN changed", account: wallet.userName, device: device.deviceID)
  }
}

extension AccessService {
  /// Replaces the PIN of a wallet in its session.
  func replacePIN(_ body: PINReplacement, _ request: SignedRequest) async throws(AccessError) {
    let attempt = try await decide(request) { try $0.beginPINReplacement(body.newPIN, request) }
    let isRight = try await hashing.matches(body.pin, attempt.hash, as: .short, for: request.address)
    try await decide(request) { try $0.checkPIN(attempt, isRight: isRight) }
    let hash = try await hashing.hash(body.newPIN, as: .short, for: request.address)
    try await decide(request) { try $0.finishPINReplacement(attempt, hash: hash, request) }
  }
}

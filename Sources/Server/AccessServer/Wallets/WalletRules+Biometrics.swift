internal import AccessMessages
internal import ServerStore

extension WalletRules {
  /// Makes the token for the login by biometrics. An earlier one is withdrawn.
  ///
  /// - Throws: A refusal with code `notLoggedIn`, or `notAllowed` unless the user logged in by PIN and the issuer
  ///   allows biometrics.
  func enableBiometrics(_ request: SignedRequest) throws(AccessError) -> BiometricToken {
    let device = try signingDevice(request)
    let session = try session(request, of: device)
    guard configuration.wallets.requirements.biometricLogin else { throw .noBiometrics }
    guard session.login == .pin else {
      throw .refused(.notAllowed, "the login by biometrics is enabled after a login by PIN: log in by PIN")
    }
    var linked = try device.requireActive()
    let token = environment.newToken()
    linked.biometricToken = TokenDigest(of: token)
    try transaction.save(linked)
    try audit(.biometrics, "enabled", account: try wallet(linked.wallet).userName, device: linked.deviceID)
    return BiometricToken(token: token)
  }

  /// Withdraws the token for the login by biometrics. The signature of the device authorises it, since a user also removes
  /// biometric login while logged out. A device without a token succeeds.
  ///
  /// - Throws: A refusal with code `notRegistered`.
  func disableBiometrics(_ request: SignedRequest) throws(AccessError) {
    guard var linked = try signingDevice(request).linked else { throw .notRegistered }
    guard linked.biometricToken != nil else { return }
    linked.biometricToken = nil
    try transaction.save(linked)
    try audit(.biometrics, "disabled", account: try wallet(linked.wallet).userName, device: linked.deviceID)
  }
}

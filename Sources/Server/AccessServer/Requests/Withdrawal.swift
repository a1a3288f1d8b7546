internal import AccessMessages
internal import ServerStore

/// The withdrawal of a device, of keys or of a secret from their user. It ends what clients were given for the device, or with the
/// key or the secret.
struct Withdrawal {
  /// What is withdrawn.
  enum Subject {
    /// The device with an identifier was deactivated, removed from an account, or unlinked from a wallet.
    case device(String)
    /// Keys of an account were removed.
    case keys(AuthorizingKeys)
    /// A forgotten PIN or password of a wallet was replaced.
    case secret
  }

  let subject: Subject
  /// The digest of the authorization or session that the withdrawing request presents, or nil. It survives the withdrawal of a
  /// device, and no other one.
  let caller: TokenDigest?

  /// Returns whether a withdrawal ends something that the same user was given: a challenge, a token, a session or an
  /// authorization.
  ///
  /// What was made for an unknown device ends with any device, since it may have been made for that one. What was begun without
  /// the authorization of a user outlives every key. A recovery ends everything.
  ///
  /// - Parameters:
  ///   - origin: The device that it was made for, and the keys that it was authorised with. Nothing is known of it when all of its
  ///     members are nil.
  ///   - digest: The digest of what the client presents; nil for a challenge.
  ///   - isBegun: False for a registration token with which no registration was begun: the operator made it for no device.
  func ends(_ origin: DeviceOrigin, _ digest: TokenDigest? = nil, isBegun: Bool = true) -> Bool {
    switch subject {
    case .secret: return true
    case .keys(let removed): return origin.authorizingKeys?.overlaps(removed) ?? false
    case .device(let deviceID):
      if let digest, digest == caller { return false }
      guard isBegun else { return false }
      guard let device = origin.deviceID else { return true }
      return device.hasSameOctets(as: deviceID) || origin.authorizedBy?.hasSameOctets(as: deviceID) == true
    }
  }

  /// Returns whether a withdrawal ends what a device was given without the authorization of another one.
  func ends(_ deviceID: String?, _ digest: TokenDigest?) -> Bool { ends(DeviceOrigin(deviceID: deviceID), digest) }

  /// Returns whether a withdrawal ends an authorization. One whose keys are unknown ends with any key.
  func ends(_ authorization: AuthorizationRecord) -> Bool {
    if case .keys = subject, authorization.keys == nil { return true }
    return ends(
      DeviceOrigin(deviceID: authorization.deviceID, authorizingKeys: authorization.keys), authorization.digest)
  }
}

extension RequestRules {
  /// Removes keys of an account, and ends what was authorised with them, the authorization of the request included. Every rule
  /// that ends a key calls this function.
  func remove(_ credentials: [CredentialRecord], of account: String) throws(AccessError) {
    guard !credentials.isEmpty else { return }
    for credential in credentials {
      try transaction.removeCredential(aaid: credential.aaid, keyID: credential.keyID)
    }
    try perform(Withdrawal(subject: .keys(AuthorizingKeys(credentials)), caller: nil), ofAccount: account)
  }

  /// Ends what a withdrawal ends of an account of authenticators.
  func perform(_ withdrawal: Withdrawal, ofAccount account: String) throws(AccessError) {
    for challenge in try transaction.challenges(of: account) where withdrawal.ends(challenge.origin) {
      try transaction.remove(ChallengeRecord.self, challenge.id)
    }
    for token in try transaction.outOfBandTokens(ofAccount: account)
    where token.redeemedAt == nil && withdrawal.ends(token.origin, token.digest) {
      try transaction.remove(OutOfBandTokenRecord.self, token.digest)
    }
    for token in try transaction.registrationTokens(of: account)
    where withdrawal.ends(DeviceOrigin(), token.digest, isBegun: token.begunAt != nil) {
      try transaction.remove(RegistrationTokenRecord.self, token.digest)
    }
    for authorization in try transaction.authorizations(of: account) where withdrawal.ends(authorization) {
      try transaction.remove(AuthorizationRecord.self, authorization.digest)
    }
  }

  /// Ends what a withdrawal ends of a wallet.
  func perform(_ withdrawal: Withdrawal, of wallet: EnrolledWalletRecord) throws(AccessError) {
    for session in try transaction.walletSessions(of: wallet.id)
    where withdrawal.ends(session.deviceID, session.digest) {
      try transaction.remove(WalletSessionRecord.self, session.digest)
    }
    for token in try transaction.walletTokens(of: wallet.userName) where withdrawal.ends(token.deviceID, token.digest) {
      try transaction.remove(WalletTokenRecord.self, token.digest)
    }
    for var device in try transaction.walletDevices(of: wallet.id) where device.biometricToken != nil {
      guard withdrawal.ends(device.deviceID, device.biometricToken) else { continue }
      device.biometricToken = nil
      try transaction.save(device)
    }
  }

  /// Deletes the cards that a wallet has on a device, which is unlinked or has lost their keys: their payments are declined
  /// from now on. The next owner of the device may use the identifiers of their deliveries.
  func deleteCards(of account: String, onDevice device: String) throws(AccessError) {
    for var card in try transaction.cards(of: account, onDevice: device) where card.state != .deleted {
      (card.state, card.delivery) = (.deleted, card.id)
      try transaction.save(card)
      try transaction.removeCardScripts(of: card.id)
      try audit(.cardStateChanged, card.state.rawValue, account: card.account, device: device)
    }
  }
}

extension PresentedCredentials {
  /// The digest of the authorization or the session of a request, or nil.
  var digest: TokenDigest? { token.map { TokenDigest(of: $0) } }
}

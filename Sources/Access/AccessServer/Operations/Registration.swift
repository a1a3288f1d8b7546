internal import AccessMessages
internal import FIDOUAF
internal import JOSE

extension Rules {
  /// Returns a registration request for an account (FIDO UAF Protocol Specification 1.1, section 3.4.6.1).
  ///
  /// - Parameters:
  ///   - context: The account and the name of a policy.
  ///   - credentials: A registration token, or an authorization of the user or the operator.
  /// - Throws: `AccessFailure` when the registration is not authorised.
  func registrationRequest(
    _ context: RequestContext, _ credentials: PresentedCredentials
  ) throws -> ReturnUAFRequest {
    guard let account = context.userName else { throw AccessFailure(.malformed, "the context has no username") }
    let token = try authorizeRegistration(of: account, credentials)
    return try registrationRequest(for: account, context, sessionID: nil, token: token)
  }

  /// Returns a registration request that is already authorised.
  func registrationRequest(
    for account: String, _ context: RequestContext, sessionID: String?, token: TokenDigest? = nil
  ) throws -> ReturnUAFRequest {
    guard let accepted = NamedPolicy(context.policy ?? configuration.policy) else {
      return ReturnUAFRequest(.badRequest)
    }
    let registered = try transaction.credentials(of: account)
    let policy = accepted.registrationPolicy(excluding: registered)
    let new = newRequest(.registration, sessionID: sessionID)
    let request = RegistrationRequest(
      header: new.header, challenge: new.challenge, userName: account, policy: policy)
    return try send(
      .registrationRequest(request), new, account: account, state: .clientRegistering, registrationToken: token)
  }

  private func authorizeRegistration(
    of account: String, _ credentials: PresentedCredentials
  ) throws -> TokenDigest? {
    switch try caller(credentials) {
    case .operator?: return nil
    case .user(account)?: return nil
    case .registrant(let token)? where token.account == account && token.usedAt == nil: return token.digest
    case nil where configuration.openRegistration: return nil
    case nil: throw AccessFailure(.unauthorized, "a registration needs a registration token")
    default: throw AccessFailure(.forbidden, "the token does not authorise a registration of this user")
    }
  }

  /// Checks a registration response and saves its keys (section 3.4.6.5).
  func registrationResponse(_ body: SendUAFResponse) throws -> ServerResponse {
    try conclude(.registration) { attempt in
      let received = try receive(body, .registration, &attempt)
      guard case .registrationRequest(let request) = received.request, let account = received.challenge.account else {
        throw AccessStoreError(.damaged, "a stored request of a registration is not one")
      }
      let checks = RegistrationChecks(request: request, finalChallengeHash: received.finalChallengeHash)
      let assertions = try checks.accepted(received.response.assertions)
      for assertion in assertions {
        guard try transaction.credential(aaid: assertion.aaid.description, keyID: assertion.keyID.octets) == nil else {
          throw UAFRefusal(.unacceptableKey, "the key is already registered")
        }
      }
      try useRegistrationToken(received.challenge)
      let saved = try assertions.map { try save($0, account, received.context.deviceID) }
      let token = try authorize(account, sessionID: received.challenge.sessionID)
      return (ServerResponse(.ok, tokens: [token]), saved)
    }
  }

  private func useRegistrationToken(_ challenge: ChallengeRecord) throws {
    guard let digest = challenge.registrationToken else { return }
    guard var token = try transaction.registrationToken(digest), token.usedAt == nil else {
      throw UAFRefusal(.forbidden, "the registration token is already used")
    }
    token.usedAt = now
    try transaction.save(token)
  }

  private func save(
    _ assertion: RegistrationAssertion, _ account: String, _ deviceID: String?
  ) throws(AccessStoreError) -> CredentialRecord {
    if try transaction.user(named: account) == nil {
      try transaction.save(UserRecord(name: account, createdAt: now))
    }
    let credential = CredentialRecord(
      aaid: assertion.aaid.description, keyID: assertion.keyID.octets, externalID: newIdentifier(), account: account,
      deviceID: deviceID, publicKey: assertion.publicKey, publicKeyEncoding: assertion.publicKeyEncoding.rawValue,
      signatureAlgorithm: assertion.signatureAlgorithm.rawValue,
      authenticatorVersion: assertion.authenticatorVersion, signatureCounter: assertion.signatureCounter,
      registrationCounter: assertion.registrationCounter, createdAt: now)
    try transaction.save(credential)
    return credential
  }
}

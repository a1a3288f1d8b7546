internal import AccessMessages
internal import FIDOUAF
internal import RelyingParty
internal import ServerStore

/// What authorises a registration.
enum RegistrationAuthority {
  /// The operator.
  case `operator`
  /// A user who has authenticated.
  case user(AuthorizationRecord)
  /// A registration token.
  case token(TokenDigest)
  /// A token that was dispatched out-of-band.
  case dispatched(DeviceOrigin)
  /// Nothing: the name is new, it was never used.
  case open

  var token: TokenDigest? {
    guard case .token(let digest) = self else { return nil }
    return digest
  }

  var isOpen: Bool {
    guard case .open = self else { return false }
    return true
  }

  /// The device that a request is made for.
  func origin(statedBy context: RequestContext) -> DeviceOrigin {
    switch self {
    case .operator, .token, .open: DeviceOrigin(deviceID: context.deviceID)
    case .dispatched(let origin): origin
    case .user(let authorization): authorization.origin(of: context.deviceID)
    }
  }
}

extension AuthorizationRecord {
  /// The device of something that is made with this authorization. It is unknown when that of the authorization is unknown.
  func origin(of stated: String?) -> DeviceOrigin {
    DeviceOrigin(deviceID: deviceID == nil ? nil : stated, authorizedBy: deviceID, authorizingKeys: keys)
  }
}

extension OperationRules {
  /// Returns a registration request for an account (FIDO UAF Protocol Specification 1.1, section 3.4.6.1).
  ///
  /// - Parameters:
  ///   - context: The account and the name of a policy.
  ///   - credentials: A registration token, or an authorization of the user or the operator.
  /// - Throws: A refusal when the registration is not authorised.
  func registrationRequest(
    _ context: RequestContext, _ credentials: PresentedCredentials
  ) throws(AccessError) -> ReturnUAFRequest {
    guard let entered = context.userName else { throw .refused(.malformed, "the context has no username") }
    let account = try accountName(entered)
    let authority = try authorizeRegistration(of: account, credentials)
    return try registrationRequest(for: account, context, sessionID: nil, authority)
  }

  /// Returns a registration request that is already authorised.
  func registrationRequest(
    for account: String, _ context: RequestContext, sessionID: String?, _ authority: RegistrationAuthority
  ) throws(AccessError) -> ReturnUAFRequest {
    let origin = authority.origin(statedBy: context)
    guard try !isDeactivated(origin.deviceID, for: .account(account)) else { return ReturnUAFRequest(.forbidden) }
    guard let accepted = NamedPolicy(context.policy ?? configuration.policy) else {
      return ReturnUAFRequest(.badRequest)
    }
    // An open registration was authorised because the name is new.
    let registered = authority.isOpen ? [] : try transaction.credentials(of: account)
    guard registered.count < RecordLimits.credentials else {
      throw .refused(
        .forbidden, "the user has \(RecordLimits.credentials) credentials, the limit: deregister one")
    }
    let new = newRequest(.registration, sessionID: sessionID)
    let ceremony = RegistrationCeremony(
      of: account, new.header, challenge: new.challenge, accepted, excluding: registered.compactMap(\.registeredKey))
    return try send(
      .registrationRequest(ceremony.request), new, account: account, state: .clientRegistering, origin: origin,
      registrationToken: authority.token, isOpen: authority.isOpen)
  }

  private func authorizeRegistration(
    of account: String, _ credentials: PresentedCredentials
  ) throws(AccessError) -> RegistrationAuthority {
    switch try caller(credentials) {
    case .operator?: return .operator
    case .user(let authorization)? where authorization.isOf(account): return .user(authorization)
    case .registrant(var token)? where token.account.hasSameOctets(as: account) && token.usedAt == nil:
      if token.begunAt == nil {
        token.begunAt = now
        try transaction.save(token)
      }
      return .token(token.digest)
    case nil where configuration.openRegistration:
      try checkFailures(of: .registrations(address: network), limit: configuration.failureLimits.perAddress)
      guard try !isTaken(account) else { throw try refusedOpenRegistration(of: account) }
      return .open
    case nil: throw .refused(.unauthorized, "a registration needs a registration token")
    default: throw .refused(.forbidden, "the token does not authorise a registration of this user")
    }
  }

  /// The refusal of a registration without an authorization under a name that was ever used: another person may be its user.
  private func refusedOpenRegistration(of account: String) throws(AccessError) -> AccessError {
    let token = "ask the operator for a registration token (tap-server user token NAME)"
    return .refused(
      .unauthorized,
      try transaction.credentials(of: account).isEmpty
        ? "the name was used before, or has a registration token: send that token, or \(token)"
        : "the name has an authenticator: authenticate with it first, or \(token)")
  }

  /// Checks a registration response and saves its keys (section 3.4.6.5).
  func registrationResponse(_ body: SendUAFResponse) throws(AccessError) -> ServerResponse {
    var attempt = Attempt(.registration)
    let result: Result<Accepted, CeremonyError>
    do { result = .success(try register(body, &attempt)) } catch { result = .failure(try AccessError.refusal(error)) }
    return try conclude(attempt, result)
  }

  private func register(_ body: SendUAFResponse, _ attempt: inout Attempt) throws -> Accepted {
    let answered = try receive(body, &attempt)
    let (received, challenge) = (answered.received, answered.challenge)
    guard case .registrationRequest(let request) = try request(of: challenge), let account = challenge.account else {
      throw AccessError.damaged("a stored request of a registration is not one")
    }
    try received.verify(against: request.header, request.policy, from: configuration.acceptedClients(at: now))
    let deviceID = try registeringDevice(challenge, attempt.context, account)
    let assertions = try RegistrationCeremony(request).verify(received)
    for assertion in assertions {
      guard try transaction.credential(aaid: assertion.aaid.description, keyID: assertion.keyID.octets) == nil else {
        throw CeremonyError(.unacceptableKey, "the key is already registered")
      }
    }
    let count = try transaction.credentials(of: account).count + assertions.count
    guard count <= RecordLimits.credentials else {
      throw CeremonyError(
        .forbidden, "the user would have \(count) credentials: the limit is \(RecordLimits.credentials)")
    }
    try useRegistrationToken(challenge)
    if challenge.isOpen { try countFailure(of: .registrations(address: network)) }
    let saved = try assertions.map { assertion throws(AccessError) in try save(assertion, account, deviceID) }
    let token = try authorize(
      account, deviceID: deviceID, keys: saved, sessionID: challenge.sessionID,
      former: try transaction.authorizations(of: account), signedWith: answered.read.signingKey)
    return Accepted(keys: saved, token: token)
  }

  /// The device of a registration.
  ///
  /// - Throws: `CeremonyError` when the challenge was made for another device, when the operator has deactivated the device, or
  ///   when a registration of a new name was begun and the name, or one that equals it after folding, is used since.
  private func registeringDevice(
    _ challenge: ChallengeRecord, _ context: ResponseContext, _ account: String
  ) throws -> String? {
    let (asked, stated) = (challenge.origin.deviceID, context.deviceID)
    if let asked, let stated, !asked.hasSameOctets(as: stated) {
      throw CeremonyError(.requestInvalid, "the challenge was made for another device")
    }
    let deviceID = stated ?? asked
    guard try !isDeactivated(deviceID, for: .account(account)) else {
      throw CeremonyError(.forbidden, "the operator has deactivated the device for this account")
    }
    let isNew = try transaction.user(named: account) == nil
    guard try isNew ? !isTaken(account) : !challenge.isOpen else {
      throw CeremonyError(
        .forbidden, "the name is used since the registration was begun: ask the operator for a registration token")
    }
    return deviceID
  }

  private func useRegistrationToken(_ challenge: ChallengeRecord) throws {
    guard let digest = challenge.registrationToken else { return }
    guard var token = try transaction.registrationToken(digest), token.usedAt == nil else {
      throw CeremonyError(.forbidden, "the registration token is already used")
    }
    token.usedAt = now
    try transaction.save(token)
  }

  private func save(
    _ assertion: RegistrationAssertion, _ account: String, _ deviceID: String?
  ) throws(AccessError) -> CredentialRecord {
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

internal import AccessMessages
internal import FIDOUAF
internal import RelyingParty
internal import ServerStore

extension OperationRules {
  /// Returns an authentication request (FIDO UAF Protocol Specification 1.1, section 3.5.7.1). It needs no authorization.
  ///
  /// With an account, the policy names its registered keys; without one, any registered key of the models of the policy
  /// authenticates. 1404: the account has no key of the policy. 1403: all its devices are deactivated.
  func authenticationRequest(
    _ context: RequestContext, sessionID: String? = nil, origin: DeviceOrigin? = nil
  ) throws(AccessError) -> ReturnUAFRequest {
    guard let named = NamedPolicy(context.policy ?? configuration.policy) else { return ReturnUAFRequest(.badRequest) }
    var policy = named.openPolicy
    if let account = context.userName {
      let (registered, deactivations) = try transaction.readTogether { store throws(AccessError) in
        (try store.credentials(of: account), try store.deactivations(of: .account(account)))
      }
      let usable = Self.usable(registered, without: deactivations)
      guard let known = named.authenticationPolicy(with: usable.compactMap(\.registeredKey)) else {
        return ReturnUAFRequest(registered.isEmpty ? .notFound : .forbidden)
      }
      policy = known
    }
    let new = newRequest(.authentication, sessionID: sessionID)
    let ceremony = AuthenticationCeremony(
      new.header, challenge: new.challenge, context.transaction.flatMap { Transaction(text: $0) }, policy)
    return try send(
      .authenticationRequest(ceremony.request), new, account: context.userName, state: .clientAuthenticating,
      origin: origin ?? DeviceOrigin(deviceID: context.deviceID))
  }

  private static func usable(
    _ credentials: [CredentialRecord], without deactivations: [DeactivationRecord]
  ) -> [CredentialRecord] {
    let inactive = deactivations.map(\.deviceID)
    return credentials.filter { credential in credential.deviceID.map { !inactive.containsOctets(of: $0) } ?? true }
  }

  /// Checks an authentication response, saves the counters and makes an authorization (section 3.5.7.5).
  func authenticationResponse(_ body: SendUAFResponse) throws(AccessError) -> ServerResponse {
    var attempt = Attempt(.authentication)
    let result: Result<Accepted, CeremonyError>
    do { result = .success(try authenticate(body, &attempt)) } catch {
      result = .failure(try AccessError.refusal(error))
    }
    return try conclude(attempt, result)
  }

  private func authenticate(_ body: SendUAFResponse, _ attempt: inout Attempt) throws -> Accepted {
    let answered = try receive(body, &attempt)
    let (received, challenge) = (answered.received, answered.challenge)
    guard case .authenticationRequest(let request) = try request(of: challenge) else {
      throw AccessError.damaged("a stored request of an authentication is not one")
    }
    try received.verify(against: request.header, request.policy, from: configuration.acceptedClients(at: now))
    let named = try namedCredentials(answered)
    let keys = try AuthenticationCeremony(request).verify(received, with: named.compactMap(\.registeredKey))
    let credentials = keys.compactMap { key in
      named.first { $0.registeredKey?.isSame(as: key) == true }?.used(key, at: now)
    }
    guard let first = credentials.first else {
      throw CeremonyError(.unacceptableContent, "the response has no assertion")
    }
    attempt.account = first.account
    let read = answered.read.key?.name == first.key ? answered.read.key : nil
    let deactivations = try read?.deactivations ?? transaction.deactivations(ofOwnerOf: first.key)
    guard Self.usable(credentials, without: deactivations).count == credentials.count else {
      throw CeremonyError(.forbidden, "the device is deactivated")
    }
    let token = try authorize(
      first.account, deviceID: first.deviceID, keys: credentials, sessionID: challenge.sessionID,
      former: try read?.authorizations ?? transaction.authorizations(ofOwnerOf: first.key),
      signedWith: answered.read.signingKey)
    for credential in credentials { try transaction.save(credential) }
    return Accepted(keys: credentials, token: token)
  }

  /// The registered keys that a response names: those of the account of the challenge, if it has one.
  private func namedCredentials(_ answered: AnsweredChallenge) throws(AccessError) -> [CredentialRecord] {
    let (account, read) = (answered.challenge.account, answered.read.key)
    var credentials: [CredentialRecord] = []
    for (aaid, keyID) in AuthenticationCeremony.namedKeys(in: answered.received) {
      let name = CredentialRecord.Key(aaid: aaid.description, keyID: keyID.octets)
      let found = read?.name == name ? read?.credential : try transaction.credential(aaid: name.aaid, keyID: name.keyID)
      if let found, account.map({ $0.hasSameOctets(as: found.account) }) ?? true { credentials.append(found) }
    }
    return credentials
  }
}

extension CredentialRecord {
  /// The record after its key has authenticated its user at a moment.
  fileprivate func used(_ key: RegisteredKey, at now: Int64) -> CredentialRecord {
    var credential = self
    credential.signatureCounter = key.signatureCounter
    credential.authenticatorVersion = key.authenticatorVersion
    credential.usedAt = now
    return credential
  }
}

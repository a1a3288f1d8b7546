internal import AccessMessages
internal import FIDOUAF
internal import ServerStore

extension Rules {
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
      try transaction.prefetch { store throws(AccessError) in
        _ = try store.credentials(of: account)
        _ = try store.deactivations(of: .account(account))
      }
      let registered = try transaction.credentials(of: account)
      let usable = Self.usable(registered, without: try transaction.deactivations(of: .account(account)))
      guard let known = named.authenticationPolicy(with: usable) else {
        return ReturnUAFRequest(registered.isEmpty ? .notFound : .forbidden)
      }
      policy = known
    }
    let new = newRequest(.authentication, sessionID: sessionID)
    let transactions = context.transaction.flatMap { Transaction(text: $0) }.map { [$0] }
    let request = AuthenticationRequest(
      header: new.header, challenge: new.challenge, transactions: transactions, policy: policy)
    return try send(
      .authenticationRequest(request), new, account: context.userName, state: .clientAuthenticating,
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
    try conclude(.authentication) { attempt throws(AccessError) in
      let received = try receive(body, .authentication, &attempt)
      guard case .authenticationRequest(let request) = received.request else {
        throw .damaged("a stored request of an authentication is not one")
      }
      let checks = AuthenticationChecks(
        rules: self, request: request, finalChallengeHash: received.finalChallengeHash,
        account: received.challenge.account)
      let credentials = try checks.accepted(received.response.assertions)
      guard let first = credentials.first else {
        throw .uaf(.unacceptableContent, "the response has no assertion")
      }
      attempt.account = first.account
      let deactivations = try transaction.deactivations(ofOwnerOf: first.key)
      guard Self.usable(credentials, without: deactivations).count == credentials.count else {
        throw .uaf(.forbidden, "the device is deactivated")
      }
      let token = try authorize(
        first.account, deviceID: first.deviceID, keys: credentials, sessionID: received.challenge.sessionID,
        former: try transaction.authorizations(ofOwnerOf: first.key))
      for credential in credentials { try transaction.save(credential) }
      return (ServerResponse(.ok, tokens: [token]), credentials)
    }
  }
}

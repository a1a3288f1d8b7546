internal import AccessMessages
internal import DeviceAuthentication
internal import FIDOUAF
internal import Octets

/// One authentication, from the request of the server to its result.
struct AuthenticationRun: Sendable {
  let client: MobileAuthenticationClient
  let connection: ServerConnection
  let options: Authentication.Options

  /// Asks for a request, and answers it.
  func request(for account: Account) async throws(OperationError) -> Authentication.Result {
    await client.moveSharedIdentity(at: connection.origin)
    let deviceID = try await client.presentRecords().device(at: connection.origin)?.information.deviceId
    let message = try await connection.message(
      AccessPath.authenticationRequest, .authentication,
      RequestContext(userName: account.username, deviceID: deviceID), [])
    guard case .authenticationRequest(let request) = message else {
      throw .fido(.protocolError, cause: "the server answered with another operation than an authentication")
    }
    return try await respond(to: request, for: account)
  }

  /// Answers a request.
  ///
  /// - Parameter account: The account; nil to ask for one of those of the server.
  func respond(
    to request: AuthenticationRequest, for account: Account?
  ) async throws(OperationError) -> Authentication.Result {
    let exchange = UAFExchange(client: client, connection: connection, path: AccessPath.authenticationResponse)
    let challenge = try await exchange.begin(request.header, request.challenge, [])
    return try await exchange.reporting(challenge, []) { () async throws(OperationError) in
      let transaction = try await confirmed(request, challenge, account)
      let account = try await self.account(request, challenge, account, transaction)
      let registration = try await registration(request, challenge, account)
      let assertion = try await sign(registration, challenge, transaction)
      let deviceID = try await client.presentRecords().device(at: connection.origin)?.information.deviceId
      let authorization = try await exchange.send([assertion], challenge, ResponseContext(deviceID: deviceID), [])
      await renewTarget(account, authorization)
      guard let kind = client.configuration.profile.kind(of: registration.aaid) else { throw foreign(registration) }
      return Authentication.Result(
        account: account, authenticator: kind, isTransactionConfirmed: transaction != nil,
        authorization: authorization)
    }
  }

  /// Makes the device known to the server again after the loss of its identity. The authentication succeeds without it.
  private func renewTarget(_ account: Account, _ authorization: Authorization) async {
    let known = try? await client.presentRecords().account(of: account.username)
    guard known?.formerDeviceID != nil else { return }
    try? await DispatchTargets(client: client, connection: connection).register(account, authorization)
  }

  /// Shows the transaction before anything else is asked, and returns it when the person confirms.
  private func confirmed(
    _ request: AuthenticationRequest, _ challenge: UAFExchange.Challenge, _ account: Account?
  ) async throws(OperationError) -> Transaction? {
    guard let forms = request.transactions, !forms.isEmpty else { return nil }
    guard let confirmer = options.transactionConfirmer else {
      throw .fido(.invalidTransactionContent, cause: "the application cannot show a transaction")
    }
    let shown = forms.first { $0.text != nil } ?? forms[0]
    let context = TransactionConfirmation(account: account, transaction: shown)
    try await client.ask(within: challenge.limit) { () async throws(InteractionCancelled) in
      try await confirmer.confirm(context)
    }
    return shown
  }

  private func account(
    _ request: AuthenticationRequest, _ challenge: UAFExchange.Challenge, _ account: Account?,
    _ transaction: Transaction?
  ) async throws(OperationError) -> Account {
    if let account { return account }
    let records = try await client.presentRecords()
    let authenticators = await client.authenticators()
    let candidates = records.accounts.map(\.account).filter { $0.server == connection.origin }.map { account in
      let registered = usable(records.registrations(of: account.username), challenge)
      let compliant = client.compliant(request.policy, among: authenticators, registered)
      return AccountSelection.Option(
        account: account, isPolicyCompliant: registered.contains { compliant[$0.aaid] != nil })
    }
    return try await client.select(
      AccountSelection(options: candidates, transaction: transaction), options.accountSelector,
      within: challenge.limit)
  }

  /// The registrations whose keys belong to the application.
  private func usable(
    _ registrations: [RegistrationRecord], _ challenge: UAFExchange.Challenge
  ) -> [RegistrationRecord] {
    registrations.filter { $0.state == .registered && $0.appID == challenge.applicationID }
  }

  private func registration(
    _ request: AuthenticationRequest, _ challenge: UAFExchange.Challenge, _ account: Account
  ) async throws(OperationError) -> RegistrationRecord {
    let registered = usable(try await client.presentRecords().registrations(of: account.username), challenge)
    guard registered.isEmpty || !request.policy.omits(registered.map(\.keyID)) else {
      throw .userNotRegisteredInServer
    }
    let authenticators = await client.authenticators()
    let compliant = client.compliant(request.policy, among: authenticators, registered)
    try await client.keepAccepted(registered.map(\.aaid).filter { compliant[$0] != nil }, for: account)
    let selection = AuthenticatorSelection(.authentication, account, among: authenticators, registered, compliant)
    let aaid = try await client.select(
      selection, options.authenticatorSelector, within: challenge.limit, isUsable: \.isRegistered)
    guard let registration = registered.last(where: { $0.aaid == aaid }) else {
      throw .noSuitableAuthenticator("\(aaid) is not registered for the account")
    }
    return registration
  }

  private func foreign(_ registration: RegistrationRecord) -> OperationError {
    .noSuitableAuthenticator("\(registration.aaid) belongs to another profile of authenticators")
  }

  private func sign(
    _ registration: RegistrationRecord, _ challenge: UAFExchange.Challenge, _ transaction: Transaction?
  ) async throws(OperationError) -> EncodedAssertion {
    guard let kind = client.configuration.profile.kind(of: registration.aaid) else { throw foreign(registration) }
    let rules = try RegistrationKeys.rules(
      of: kind, isInvalidatedByNewBiometrics: registration.isInvalidatedByNewBiometrics,
      acceptsPasscode: registration.acceptsPasscode)
    let unsigned = AuthenticationAssertion.unsigned(
      aaid: registration.aaid, nonce: client.random.octets(16), finalChallengeHash: challenge.hash,
      transactionHash: transaction?.hash, keyID: registration.keyID, algorithm: registration.algorithm)
    let signature = try await converting(OperationError.init) { () async throws(AuthenticatorError) in
      guard let rules else { return try await signSecret(unsigned.signedOctets, registration, kind, challenge.limit) }
      let context = DevicePromptRequest(
        account: registration.account, aaid: registration.aaid, purpose: .authentication, transaction: transaction)
      let text = kind.isBiometric ? options.biometricUserVerifier : options.devicePasscodeUserVerifier
      return try await client.sign(
        unsigned.signedOctets, under: rules, registration.registrationKey, context, text.orDenied(),
        within: challenge.limit)
    }
    return EncodedAssertion(unsigned.octets(signature: signature))
  }

  private func signSecret(
    _ octets: [UInt8], _ registration: RegistrationRecord, _ kind: AuthenticatorKind, _ limit: InteractionLimit
  ) async throws(AuthenticatorError) -> [UInt8] {
    let secret: SecretKind = kind == .pin ? .pin : .password
    let verifier = try options.secretVerifiers[secret].orDenied()
    let permit = try await SigningPermit.verifying(
      registration, with: client.secretAuthenticator(secret, within: limit), in: client.device.ports.keys,
      asking: verifier)
    return try await permit.signature(of: octets)
  }
}

extension Policy {
  /// Whether the policy names the keys that it accepts, and none of these.
  fileprivate func omits(_ keyIDs: [KeyID]) -> Bool {
    let named = accepted.flatMap(\.self).map(\.keyIDs)
    return !named.isEmpty && named.allSatisfy { $0.map { $0.allSatisfy { !keyIDs.contains($0) } } ?? false }
  }
}

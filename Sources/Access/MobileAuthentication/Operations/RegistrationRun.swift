internal import AccessMessages
internal import DeviceAuthentication
internal import Documents
internal import FIDOUAF
internal import Octets

/// One registration, from the request of the server to its result.
struct RegistrationRun: Sendable {
  let client: MobileAuthenticationClient
  let connection: ServerConnection
  var options: Registration.Options

  /// Refuses before a request what can be known then.
  func check(_ account: Account) async throws(OperationError) {
    guard RequestContext.userNameRange.contains(account.username.utf16.count) else {
      throw .invalidArgument("a user name has 1 to 128 characters, not \(account.username.utf16.count)")
    }
    let records = try await checkDevice()
    if let known = records.account(of: account.username), known.account.server != account.server {
      throw .userAlreadyRegisteredInAnotherServer
    }
  }

  /// Refuses before a request what can be known without the account.
  ///
  /// - Returns: The local data.
  @discardableResult
  func checkDevice() async throws(OperationError) -> LocalRecords {
    guard !(options.allowDevicePasscodeAsFallback && options.invalidateOnNewOsBiometrics) else {
      throw .invalidArgument(RegistrationKeys.contradiction)
    }
    try await client.signer.renewLostIdentity(at: connection.origin)
    await client.moveSharedIdentity(at: connection.origin)
    let records = try await client.presentRecords()
    // A wallet does not name the device. A new identity takes the name that the device has at another server.
    let named = records.device(at: connection.origin).map { [$0] } ?? records.identities
    guard named.allSatisfy(\.information.isUnnamed) else { return records }
    guard let information = options.deviceInformation else {
      throw .invalidArgument(
        "the first registration needs the name of the device: pass deviceInformation, or --name to the command")
    }
    guard DispatchTarget.nameRange.contains(information.name.utf16.count) else {
      throw .invalidArgument("the name of a device has 1 to 128 characters, not \(information.name.utf16.count)")
    }
    return records
  }

  /// Authenticates with an authenticator that the account has on this device, unless something else authorises the
  /// registration. A server that does not have its key may register the name as a new one.
  mutating func authenticate(_ account: Account) async throws(OperationError) {
    guard options.authorization.isEmpty, let authentication = options.authentication else { return }
    let registered = try await client.presentRecords().registrations(of: account.username)
    guard await !live(registered.filter { $0.state == .registered }).isEmpty else { return }
    let run = AuthenticationRun(client: client, connection: connection, options: authentication)
    do throws(OperationError) {
      options.authorization = try await run.request(for: account).authorization
    } catch .userNotRegisteredInServer {
      return
    }
  }

  /// Asks for a request, and answers it.
  func request(for account: Account) async throws(OperationError) -> Registration.Result {
    let deviceID = try await client.presentRecords().device(at: connection.origin)?.information.deviceId
    let message = try await connection.message(
      AccessPath.registrationRequest, .registration, RequestContext(userName: account.username, deviceID: deviceID),
      options.authorization.fields)
    guard case .registrationRequest(let request) = message else {
      throw .fido(.protocolError, cause: "the server answered with another operation than a registration")
    }
    guard request.userName.hasSameOctets(as: account.username) else {
      throw .fido(.protocolError, cause: "the server answered for another user name")
    }
    return try await respond(to: request, for: account)
  }

  /// Answers a request.
  func respond(
    to request: RegistrationRequest, for account: Account
  ) async throws(OperationError) -> Registration.Result {
    let mark = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await client.store.beginRegistration()
    }
    defer { withExtendedLifetime(mark) {} }
    let exchange = UAFExchange(client: client, connection: connection, path: AccessPath.registrationResponse)
    let challenge = try await exchange.begin(request.header, request.challenge, options.authorization.fields)
    return try await exchange.reporting(challenge, options.authorization.fields) { () async throws(OperationError) in
      let new = try await choose(request, challenge, account).prepare(challenge)
      do throws(OperationError) {
        return try await finish(new, challenge, exchange)
      } catch {
        try? await client.discard(new.record, keepingIdentity: error.isNetworkFailure || Task.isCancelled)
        throw error
      }
    }
  }

  private func choose(
    _ request: RegistrationRequest, _ challenge: UAFExchange.Challenge, _ account: Account
  ) async throws(OperationError) -> NewRegistration {
    let registered = try await live(client.presentRecords().registrations(of: account.username))
    let authenticators = await client.authenticators()
    let compliant = client.compliant(request.policy, among: authenticators, registered)
    let selection = AuthenticatorSelection(.registration, account, among: authenticators, registered, compliant)
    let aaid = try await client.select(selection, options.authenticatorSelector, within: challenge.limit) { option in
      guard let kind = client.configuration.profile.kind(of: option.aaid) else { return false }
      return option.isSupportedByHardware && hasInteraction(kind)
    }
    guard let chosen = authenticators.first(where: { $0.aaid == aaid }), let algorithm = compliant[aaid] else {
      throw .noSuitableAuthenticator("\(aaid) is no authenticator of this device")
    }
    return NewRegistration(run: self, account: account, authenticator: chosen, algorithm: algorithm)
  }

  // A registration whose key is lost or locked does not keep the person from registering again.
  func live(_ registrations: [RegistrationRecord]) async -> [RegistrationRecord] {
    var live: [RegistrationRecord] = []
    for registration in registrations where await client.keys.exists(registration) { live.append(registration) }
    return live
  }

  func hasInteraction(_ kind: AuthenticatorKind) -> Bool {
    switch kind {
    case .pin: options.enrollers[.pin] != nil
    case .password: options.enrollers[.password] != nil
    case .finger, .face: options.biometricUserVerifier != nil
    case .devicePasscode: options.devicePasscodeUserVerifier != nil
    }
  }

  private func finish(
    _ new: NewRegistration.Prepared, _ challenge: UAFExchange.Challenge, _ exchange: UAFExchange
  ) async throws(OperationError) -> Registration.Result {
    guard let kind = client.configuration.profile.kind(of: new.record.aaid) else {
      throw .noSuitableAuthenticator("\(new.record.aaid) is no authenticator of this device")
    }
    let deviceID = try await client.presentRecords().device(at: connection.origin)?.information.deviceId
    let authorization = try await exchange.send(
      [new.assertion], challenge, ResponseContext(deviceID: deviceID), options.authorization.fields)
    let target = DispatchTargets(client: client, connection: connection)
    do throws(OperationError) {
      try await target.register(new.record.account, authorization.isEmpty ? options.authorization : authorization)
      try await confirm(new.record)
    } catch {
      await withdraw(new.record, authorization)
      throw error
    }
    return Registration.Result(account: new.record.account, authenticator: kind, authorization: authorization)
  }

  /// The server has the key. A former registration of the same kind, whose key was lost, is removed.
  private func confirm(_ record: RegistrationRecord) async throws(OperationError) {
    let version = client.configuration.applicationVersion
    let isKept = try await client.change { records -> Bool in
      guard let index = records.index(of: record.keyID, record.aaid) else { return false }
      records.registrations[index].state = .registered
      if records.firstRegistrationVersion == nil { records.firstRegistrationVersion = version }
      return true
    }
    guard isKept else { throw .unknown("another process removed the registration; register again") }
    try await client.remove { other in
      other.account == record.account && other.aaid == record.aaid && other.keyID != record.keyID
    }
  }

  /// The server has a key that the device will not keep: it is removed there too, as far as the server can be reached.
  private func withdraw(_ record: RegistrationRecord, _ authorization: Authorization) async {
    let context = RequestContext(userName: record.account.username, targets: [.key(record.aaid, record.keyID)])
    _ = try? await connection.message(
      AccessPath.deregistrationRequest, .deregistration, context, authorization.fields)
    // The authorization ends when the device is removed.
    await DispatchTargets(client: client, connection: connection).withdraw(unlessUsedBesides: record)
  }
}

extension OperationError {
  fileprivate var isNetworkFailure: Bool {
    guard case .network = self else { return false }
    return true
  }
}

extension MobileAuthenticationClient {
  /// Removes a registration that the server has not confirmed, with its keys.
  ///
  /// - Parameter keepingIdentity: Whether the device keeps its identifier and keys. The server may know the device although
  ///   its answer was lost; it recognises a repetition only by the same keys, and refuses the name of another device.
  fileprivate func discard(_ record: RegistrationRecord, keepingIdentity: Bool) async throws(OperationError) {
    guard keepingIdentity else {
      return try await remove { $0.keyID == record.keyID && $0.aaid == record.aaid }
    }
    let removed = try await change { records -> [RegistrationRecord] in
      let identity = records.device(at: record.account.server)
      let removed = records.removeRegistrations { $0.keyID == record.keyID && $0.aaid == record.aaid }
      if let identity { records.adopt(identity) }
      return removed.registrations
    }
    await keys.delete(removed.flatMap(\.keys))
  }
}

internal import AccessMessages
internal import Documents
internal import FIDOUAF

/// Removes registrations at the server and on the device.
public struct Deregistration: Sendable {
  /// What authorises a deregistration at the server.
  public enum Authorizing: Hashable, Sendable {
    /// Cookies or a token, such as those of an authentication.
    case authorization(Authorization)
    /// A signature by the device itself.
    case deviceSignature
  }

  /// The user name.
  public var username: String
  /// The authenticator; nil for all of the user.
  public var authenticator: AuthenticatorKind?
  /// What authorises the operation.
  public var authorizing: Authorizing

  /// Creates a deregistration.
  public init(username: String, authenticator: AuthenticatorKind? = nil, authorizing: Authorizing) {
    (self.username, self.authenticator, self.authorizing) = (username, authenticator, authorizing)
  }

  /// Removes the registrations. A user who is not registered on this device is a success.
  ///
  /// - Throws: `OperationError`. The registrations stay on the device then.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) {
    try await client.checkDevice()
    let records = try await client.presentRecords()
    let aaid = authenticator.map { client.configuration.profile.aaid(of: $0) }
    let registrations = records.registrations(of: username, aaid)
    guard let account = records.account(of: username)?.account, !registrations.isEmpty else { return }
    let run = DeregistrationRun(client: client, connection: try client.connection(to: account.server))
    try await run.deregister(registrations, of: account, isComplete: aaid == nil, authorizing)
  }
}

/// One deregistration.
struct DeregistrationRun: Sendable {
  let client: MobileAuthenticationClient
  let connection: ServerConnection

  func deregister(
    _ registrations: [RegistrationRecord], of account: Account, isComplete: Bool,
    _ authorizing: Deregistration.Authorizing
  ) async throws(OperationError) {
    let targets = isComplete ? [] : registrations.map { DeregistrationRequest.Target.key($0.aaid, $0.keyID) }
    let fields = try await fields(authorizing, account)
    let keyIDs = Set(registrations.map(\.keyID))
    // The server deletes before it answers, so the next start removes what this process cannot remove any more.
    try await mark(keyIDs, .deregistering)
    do throws(OperationError) {
      let message = try await connection.message(
        AccessPath.deregistrationRequest, .deregistration,
        RequestContext(userName: account.username, targets: targets), fields)
      guard case .deregistrationRequest(let request) = message else {
        throw .fido(.protocolError, cause: "the server answered with another operation than a deregistration")
      }
      await withdrawTarget(besides: keyIDs, of: account)
      try await delete(request, of: account)
    } catch .userNotRegisteredInServer {
      // The server has deleted the keys before.
      await withdrawTarget(besides: keyIDs, of: account)
    } catch {
      // A former request, whose answer was lost, has ended its own authorization together with the keys.
      guard case .refused(let refusal) = error, refusal.httpStatus == 401,
        await isUnknownAtServer(registrations, of: account)
      else {
        try await mark(keyIDs, .registered)
        throw error
      }
      await withdrawTarget(besides: keyIDs, of: account)
    }
    try await client.remove { keyIDs.contains($0.keyID) }
  }

  /// Whether the server has none of some keys: its authentication request for the account names the keys that it has.
  private func isUnknownAtServer(_ registrations: [RegistrationRecord], of account: Account) async -> Bool {
    do throws(OperationError) {
      let message = try await connection.message(
        AccessPath.authenticationRequest, .authentication, RequestContext(userName: account.username), [])
      guard case .authenticationRequest(let request) = message else { return false }
      let present = request.policy.accepted.joined().flatMap { $0.keyIDs ?? [] }
      return !present.isEmpty && !registrations.contains { present.contains($0.keyID) }
    } catch {
      return error == .userNotRegisteredInServer
    }
  }

  /// Deletes the keys that a request names, of its application only. Unknown keys are ignored.
  func delete(_ request: DeregistrationRequest, of account: Account?) async throws(OperationError) {
    let applicationID = try await client.facets.applicationID(for: request.header)
    let origin = connection.origin
    try await client.remove { record in
      record.appID == applicationID && record.account.server == origin
        && (account.map { $0 == record.account } ?? true)
        && request.targets.contains { target in
          switch target {
          case .everything: true
          case .model(let aaid): aaid == record.aaid
          case .key(let aaid, let keyID): aaid == record.aaid && keyID == record.keyID
          }
        }
    }
  }

  private func mark(_ keyIDs: Set<KeyID>, _ state: RegistrationRecord.State) async throws(OperationError) {
    try await client.change { records in
      for index in records.registrations.indices where keyIDs.contains(records.registrations[index].keyID) {
        records.registrations[index].state = state
      }
    }
  }

  /// Removes the device from the server when the account has no other registrations, before the identity that signs this is
  /// removed with the last registration of the device.
  private func withdrawTarget(besides keyIDs: Set<KeyID>, of account: Account) async {
    guard let records = try? await client.presentRecords(),
      !records.registrations.contains(where: { $0.account == account && !keyIDs.contains($0.keyID) })
    else { return }
    await DispatchTargets(client: client, connection: connection).withdraw(account, records)
  }

  private func fields(
    _ authorizing: Deregistration.Authorizing, _ account: Account
  ) async throws(OperationError) -> [HTTPField] {
    switch authorizing {
    case .authorization(let authorization): return authorization.fields
    case .deviceSignature:
      await client.moveSharedIdentity(at: account.server)
      let records = try await client.presentRecords()
      let known = records.account(of: account.username)
      guard known?.formerDeviceID == nil else { throw .identityLost }
      guard let device = records.device(at: account.server), let target = known?.dispatchTarget else {
        throw .invalidArgument("the server does not know this device for the account, so that it cannot sign")
      }
      let signature = try await client.deviceSignature(.deregistration, target, device, for: account.server)
      return [HTTPField(DeviceRequest.headerName, signature)]
    }
  }
}

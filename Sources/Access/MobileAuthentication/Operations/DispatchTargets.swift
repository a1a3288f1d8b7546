internal import AccessMessages
internal import DeviceAuthentication
internal import Documents
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import Octets

/// The device as its servers know it: one dispatch target for each account.
struct DispatchTargets: Sendable {
  let client: MobileAuthenticationClient
  let connection: ServerConnection

  /// Makes the device known for an account, unless it is. Replaces the device there that lost its keys.
  func register(_ account: Account, _ authorization: Authorization) async throws(OperationError) {
    let records = try await client.presentRecords()
    let known = records.account(of: account.username)
    guard let device = records.device(at: connection.origin) else { return }
    if let target = known?.dispatchTarget, await exists(target, of: account, authorization) { return }
    let information = device.information
    let body = DispatchTargetRegistration(
      userName: account.username, deviceID: information.deviceId, name: information.name,
      pushTarget: information.pushToken, dispatcher: information.pushToken.map { _ in Self.pushDispatcher },
      signatureKey: try await client.signer.signatureKey(of: device),
      encryptionKey: try await client.signer.encryptionKey(of: device).publicKey,
      clientVersion: client.configuration.applicationVersion,
      replaces: known?.formerDeviceID)
    let response = try await connection.post(
      AccessPath.dispatchTargets, body.json, MediaType.json, authorization.fields)
    let identifiers = try ServerConnection.body(response, DispatchTargetIdentifiers.init)
    try await client.change { records in
      guard let index = records.accounts.firstIndex(where: { $0.account == account }) else { return }
      records.accounts[index].dispatchTarget = identifiers.id
      records.accounts[index].formerDeviceID = nil
    }
  }

  /// Whether the server has a target of an account. A server that does not list its targets counts as having it.
  private func exists(_ target: String, of account: Account, _ authorization: Authorization) async -> Bool {
    do throws(OperationError) {
      let response = try await connection.send(
        .get, AccessPath.dispatchTargets.query([("username", account.username)]),
        authorization.fields + [HTTPField("Accept", MediaType.json)])
      let list = try ServerConnection.body(response, DispatchTargetList.init)
      return list.targets.contains { $0.id == target }
    } catch .refused(let refusal) {
      return refusal.httpStatus != 404
    } catch { return true }
  }

  /// The dispatcher of push messages of the server.
  static let pushDispatcher = "firebase-cloud-messaging"

  /// Removes the device from the server when a registration is the only one of its account. A failure is ignored: the
  /// server then has a device without credentials.
  func withdraw(unlessUsedBesides record: RegistrationRecord) async {
    guard let records = try? await client.presentRecords(),
      !records.registrations.contains(where: { $0.account == record.account && $0.keyID != record.keyID })
    else { return }
    await withdraw(record.account, records)
  }

  /// Removes the device from the server for an account. A failure is ignored.
  func withdraw(_ account: Account, _ records: LocalRecords) async {
    guard let device = records.device(at: connection.origin),
      let target = records.account(of: account.username)?.dispatchTarget,
      let signature = try? await client.deviceSignature(.removal, target, device, for: connection.origin)
    else { return }
    let request = HTTPRequest(
      .delete, connection.origin + AccessPath.dispatchTarget(target),
      fields: [HTTPField(DeviceRequest.headerName, signature)],
      limits: HTTPLimits(time: .seconds(10), bodyCount: connection.limits.bodyCount))
    _ = try? await connection.send(request)
  }
}

extension MobileAuthenticationClient {
  /// Signs a request of the device to a server with its own key, as JWS.
  ///
  /// - Parameter server: The origin of the server.
  func deviceSignature(
    _ purpose: DeviceRequest.Purpose, _ target: String, _ device: DeviceRecord, for server: String,
    _ change: DispatchTargetChange? = nil
  ) async throws(OperationError) -> String {
    let now = self.device.clocks.wall.now
    let request = DeviceRequest(
      targetID: target, requestID: random.octets(16).hex,
      createdAt: now.seconds * 1_000 + Int64(now.milliseconds), audience: server, purpose: purpose, change: change)
    return try await observingLoss(at: server) { () async throws(OperationError) in
      try await signer.signed(Array(request.json.compact.utf8), by: device)
    }
  }

  /// Uses the identity of the device at a server, and renews it when its keys are lost. The server does not know the new one
  /// before the next registration or authentication of its accounts.
  func observingLoss<Value>(
    at server: String, _ body: () async throws(OperationError) -> Value
  ) async throws(OperationError) -> Value {
    do throws(OperationError) {
      return try await body()
    } catch {
      // A device without a lock makes no keys: a later call renews the identity.
      guard (try? await signer.renewLostIdentity(at: server)) == true else { throw error }
      throw .identityLost
    }
  }
}

internal import AccessMessages
internal import DeviceAuthentication
internal import FIDOUAF
internal import JSON
internal import Octets

/// The device as its servers know it: one dispatch target for each account.
struct DispatchTargets: Sendable {
  let client: MobileAuthenticationClient
  let connection: ServerConnection

  /// Makes the device known for an account, unless it is.
  func register(_ account: Account, _ authorization: Authorization) async throws(OperationError) {
    let records = try await client.presentRecords()
    guard let device = records.device, records.account(of: account.username)?.dispatchTarget == nil else { return }
    let information = device.information
    let (signature, encryption) = try await converting(OperationError.init) {
      () async throws(DeviceAuthenticationError) in
      (
        try await client.identity.signaturePublicKey(of: device),
        try await client.identity.encryptionKey(of: device).publicKey
      )
    }
    let body = DispatchTargetRegistration(
      userName: account.username, deviceID: information.deviceId, name: information.name,
      pushTarget: information.pushToken, dispatcher: information.pushToken.map { _ in Self.pushDispatcher },
      signatureKey: signature, encryptionKey: encryption, clientVersion: client.configuration.applicationVersion)
    let response = try await connection.post(
      AccessPath.dispatchTargets, body.json, MediaType.json, authorization.fields)
    let identifiers = try ServerConnection.body(response) { (json) throws(UAFMessageError) in
      try DispatchTargetIdentifiers(json)
    }
    try await client.change { records in
      guard let index = records.accounts.firstIndex(where: { $0.account == account }) else { return }
      records.accounts[index].dispatchTarget = identifiers.id
    }
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
    guard let device = records.device, let target = records.account(of: account.username)?.dispatchTarget,
      let signature = try? await client.deviceSignature(.removal, target, device)
    else { return }
    let request = HTTPRequest(
      .delete, connection.origin + AccessPath.dispatchTarget(target),
      fields: [HTTPField(DeviceRequest.headerName, signature)],
      limits: HTTPLimits(time: .seconds(10), bodyCount: connection.limits.bodyCount))
    _ = try? await connection.send(request)
  }
}

extension MobileAuthenticationClient {
  /// Signs a request of the device with its own key, as JWS.
  func deviceSignature(
    _ purpose: DeviceRequest.Purpose, _ target: String, _ device: DeviceRecord, _ change: DispatchTargetChange? = nil
  ) async throws(DeviceAuthenticationError) -> String {
    let now = self.device.clocks.wall.now
    let request = DeviceRequest(
      targetID: target, requestID: random.octets(16).hex,
      createdAt: now.seconds * 1_000 + Int64(now.milliseconds), purpose: purpose, change: change)
    return try await identity.signed(Array(request.json.compact.utf8), by: device)
  }
}

public import AccessMessages
internal import Crypto
internal import DeviceAuthentication
internal import Documents
internal import FIDOUAF
internal import JOSE
internal import JSON
public import Octets

/// The move from the identity that an older version had at all servers to that of the device at one of them.
///
/// The request goes to this server only, and names it. A server that does not have it keeps the former identity.
public struct SharedIdentityMove: Sendable {
  private let server: String
  private let signer: DeviceSigner
  private let http: any HTTPExchange
  private let clock: any WallClock
  private let limits: HTTPLimits

  /// Creates a move.
  ///
  /// - Parameter server: The origin of the server.
  public init(
    at server: String, signer: DeviceSigner, http: any HTTPExchange, clock: any WallClock, limits: HTTPLimits
  ) {
    (self.server, self.signer, self.http, self.clock, self.limits) = (server, signer, http, clock, limits)
  }

  /// Moves, unless the device has an identity of its own at the server. Any failure leaves the former identity; the next
  /// operation tries again, also after a response was lost, since the server answers a repetition as the first request.
  public func run() async {
    do throws(OperationError) {
      guard let shared = try await signer.sharedIdentity(at: server) else { return }
      let new = try await signer.identity(at: server) { shared.information.renewed(as: $0) }
      let response = try await send(from: shared, to: new)
      guard Self.isDone(response) else { return }
      try await signer.adopt(new)
    } catch {
      // The next request of the operation reports what is wrong.
    }
  }

  /// Whether the device has moved, or the server does not know it.
  private static func isDone(_ response: HTTPResponse) -> Bool {
    if response.status == 204 { return true }
    let failure = (try? JSONValue(parsing: response.body)).flatMap { try? AccessFailure($0) }
    return response.status == 403 && failure?.code == .notRegistered
  }

  private func send(
    from shared: DeviceRecord, to new: DeviceRecord
  ) async throws(OperationError) -> HTTPResponse {
    let formerKey = try await signer.signatureKey(of: shared)
    let move = IdentityMove(
      deviceID: new.information.deviceId, signatureKey: try await signer.signatureKey(of: new),
      encryptionKey: try await signer.encryptionKey(of: new).publicKey, formerDeviceID: shared.information.deviceId,
      formerSignatureKey: formerKey, audience: server)
    let body = Array(try await signer.signed(Array(move.json.compact.utf8), by: new).utf8)
    let now = clock.now
    let payload = DeviceSignature(
      method: HTTPRequest.Method.post.rawValue, path: WalletPath.identity, body: body,
      issuedAt: now.seconds * 1_000 + Int64(now.milliseconds), id: signer.newIdentifier(), audience: server)
    let signature = try await signer.signed(payload, by: shared)
    let request = HTTPRequest(
      .post, server + WalletPath.identity,
      fields: [
        HTTPField(DeviceSignature.headerName, signature), HTTPField("Accept", MediaType.json),
        HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.jose)),
      ], body: body, limits: limits)
    return try await converting(OperationError.network) { () async throws(HTTPExchangeError) in
      try await http.send(request)
    }
  }
}

extension DeviceSigner {
  /// The identity of an older version that the device still has at a server; nil when it has another one.
  fileprivate func sharedIdentity(at server: String) async throws(OperationError) -> DeviceRecord? {
    guard let device = try await read().device(at: server), device.isShared else { return nil }
    return device
  }

  /// Keeps the identity to which the device has moved. The keys of the former one go with its last server.
  fileprivate func adopt(_ new: DeviceRecord) async throws(OperationError) {
    let unused = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.change { $0.moveIdentity(to: new) }
    }
    for key in unused?.keys ?? [] { try? await keys.delete(key) }
  }
}

extension MobileAuthenticationClient {
  /// Moves the device to an identity of its own at a server, when it has that of an older version there.
  func moveSharedIdentity(at server: String) async {
    await SharedIdentityMove(
      at: server, signer: signer, http: http, clock: device.clocks.wall, limits: configuration.exchange
    ).run()
  }
}

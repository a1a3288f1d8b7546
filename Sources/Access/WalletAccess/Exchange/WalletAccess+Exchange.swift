internal import AccessMessages
internal import DeviceAuthentication
internal import Documents
internal import FIDOUAF
internal import Glibc
internal import JOSE
internal import JSON
internal import MobileAuthentication
internal import Octets

extension WalletAccess {
  /// Sends a request with the signature of the device.
  ///
  /// - Parameter token: The token of a session; nil for a request that needs none.
  /// - Returns: An answer with a status of 200 to 299.
  /// - Throws: `.invocationFailed` without a complete answer, or the error that the status means; `.inactive` after the
  ///   session was removed; `.keysLost` after the device lost its keys, whereupon the wallet is removed.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, token: String? = nil
  ) async throws(WalletAccessError) -> HTTPResponse {
    try await reportBiometricRemoval(token: token)
    try await reportCardLoss()
    let response = try await exchange(method, path, body, token: token)
    if (200..<300).contains(response.status) { return response }
    let error = Self.error(for: response)
    // The issuer ends the sessions of a device that it deactivates.
    if error == .inactive { try await forgetSession() }
    throw error
  }

  /// Sends a request with the signature of the device, and returns an answer with any status.
  func exchange(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, token: String? = nil
  ) async throws(WalletAccessError) -> HTTPResponse {
    try await checkDevice()
    let octets = body.map { Array($0.compact.utf8) } ?? []
    let signature = DeviceSignature(
      method: method.rawValue, path: path, body: octets, issuedAt: device.clocks.wall.now.millisecondsSince1970,
      id: random.octets(16).base64URL, audience: server)
    var fields = [
      HTTPField(DeviceSignature.headerName, try await signed(signature)), HTTPField("Accept", MediaType.json),
    ]
    if body != nil { fields.append(HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.json))) }
    if let token { fields.append(HTTPField("Authorization", "Bearer \(token)")) }
    let request = HTTPRequest(method, server + path, fields: fields, body: octets, limits: limits)
    return try await converting(WalletAccessError.init) { () async throws(HTTPExchangeError) in
      try await http.send(request)
    }
  }

  /// Informs the issuer that the device has lost the keys of its cards. Cards that are added later are not concerned: every
  /// request comes after this one.
  private func reportCardLoss() async throws(WalletAccessError) {
    guard try await record().hasUnreportedCardLoss else { return }
    let response = try await exchange(.delete, CardPath.cards)
    if !(200..<300).contains(response.status) {
      let error = Self.error(for: response)
      // The issuer deletes the cards of a device when it unlinks it.
      guard [.notLinked, .unlinked].contains(error) else { throw error }
    }
    try await change { $0.hasUnreportedCardLoss = false }
  }

  /// What an answer with another status than 200 to 299 means.
  static func error(for response: HTTPResponse) -> WalletAccessError {
    let failure = (try? JSONValue(parsing: response.body)).flatMap { try? AccessFailure($0) }
    switch (response.status, failure?.code) {
    // A request that the server did not accept as the device's own is no matter of the user's credentials.
    case (401, .clockSkew?), (401, .replay?), (401, .unauthorized?): break
    case (401, .deviceUnlinked?): return .unlinked
    case (401, _):
      return failure?.attemptsLeft.map { .wrongPIN(attemptsLeft: $0) } ?? .wrongCredentials
    case (403, .notLoggedIn?): return .notLoggedIn
    case (403, .notRegistered?): return .notLinked
    case (403, .deviceInactive?): return .inactive
    case (409, .deviceLinked?): return .alreadyLinked
    default: break
    }
    return .refused(ServerRefusal(httpStatus: response.status, failure: failure))
  }

  /// Reads the body of an answer.
  static func body<Value>(
    _ response: HTTPResponse, _ read: (JSONValue) throws(DocumentError) -> Value
  ) throws(WalletAccessError) -> Value {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: response.body)
    } catch {
      throw .malformed("it is not JSON: \(error)")
    }
    do throws(DocumentError) {
      return try read(json)
    } catch {
      throw .malformed("\(error)")
    }
  }
}

// The identity of the device.
extension WalletAccess {
  /// Checks that the device has a lock, and keys in hardware that answer.
  ///
  /// - Throws: `.keysLost` after this has removed a wallet whose keys ended with the lock. Without a wallet the missing lock is
  ///   the error.
  func checkDevice() async throws(WalletAccessError) {
    let failure: OperationError
    do throws(OperationError) {
      return try await device.check()
    } catch { failure = error }
    if case .noDeviceLock = failure, try await record().hasContents, try await !hasWorkingIdentity() {
      try await loseKeys()
      throw .keysLost
    }
    throw WalletAccessError(failure)
  }

  /// Whether the device has an identity whose keys work.
  func hasWorkingIdentity() async throws(WalletAccessError) -> Bool {
    try await converting(WalletAccessError.init) { () async throws(OperationError) in
      try await signer.hasWorkingIdentity(at: server)
    }
  }

  private var signer: DeviceSigner { DeviceSigner(store: store, keys: device.ports.keys, random: random) }

  /// The description of this device for the issuer.
  func description() async throws(WalletAccessError) -> WalletDevice {
    let former = try await record().formerDeviceID
    return try await withIdentity { (signer, record) throws(OperationError) in
      let information = record.information
      return WalletDevice(
        deviceID: information.deviceId, name: information.name, signatureKey: try await signer.signatureKey(of: record),
        encryptionKey: try await signer.encryptionKey(of: record).publicKey, pushTarget: information.pushToken,
        replaces: former, system: Self.system)
    }
  }

  /// The operating system of this device, such as `Linux 6.1.0`; nil when it has no name.
  private static let system: String? = {
    var name = utsname()
    // One structure of this frame, which the call fills with texts that end with zero.
    guard unsafe uname(&name) == 0 else { return nil }
    let parts = unsafe [withUnsafeBytes(of: &name.sysname, Array.init), withUnsafeBytes(of: &name.release, Array.init)]
    let text = parts.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }.joined(separator: " ")
    return String(text.prefix(64))
  }()

  private func signed(_ payload: DeviceSignature) async throws(WalletAccessError) -> String {
    try await withIdentity { (signer, record) throws(OperationError) in try await signer.signed(payload, by: record) }
  }

  /// Uses the identity of the device. When the device has lost its keys, the wallet is removed and the identity renewed: the
  /// issuer accepts no other key for the former one.
  func withIdentity<Value>(
    _ body: (DeviceSigner, DeviceRecord) async throws(OperationError) -> Value
  ) async throws(WalletAccessError) -> Value {
    let signer = signer
    let result: Result<Value, WalletAccessError>
    do throws(OperationError) {
      result = .success(try await body(signer, try await signer.record(forWalletAt: server)))
    } catch {
      result = .failure(WalletAccessError(error))
    }
    if case .failure(.keysLost) = result { try await loseKeys() }
    return try result.get()
  }

  /// Removes the wallet, and renews the identity of the device when that is lost too. The issuer retires the payment keys of
  /// the device: at the next request, or at the next login, which states the former identity.
  func loseKeys() async throws(WalletAccessError) {
    try await wipe(isKeyLost: true)
    // A device without a lock makes no keys: the next login renews the identity.
    _ = try? await signer.renewLostIdentity(at: server)
  }

  /// Renews an identity whose keys are lost, before a request that needs no linked device, and removes the wallet.
  func renewLostIdentity() async throws(WalletAccessError) {
    try await checkDevice()
    let isRenewed = try await converting(WalletAccessError.init) { () async throws(OperationError) in
      try await signer.renewLostIdentity(at: server)
    }
    if isRenewed { try await wipe() }
    await moveSharedIdentity()
  }

  /// Moves the device to an identity of its own at the issuer, when it has that of an older version there.
  func moveSharedIdentity() async {
    await SharedIdentityMove(
      at: server, signer: signer, http: http, clock: device.clocks.wall, limits: limits
    ).run()
  }
}

extension WallTime {
  /// Milliseconds since 1970. Dates that no person sets saturate.
  fileprivate var millisecondsSince1970: Int64 {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    return overflow ? .max / 2 : product + Int64(milliseconds)
  }
}

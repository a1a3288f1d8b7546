internal import AccessMessages
internal import JOSE
internal import JSON
internal import ServerShell
internal import ServerStore

/// A request to a path of wallet access, of which the device signs the first three members.
struct SignedRequest: Sendable {
  /// The method in upper case.
  let method: String
  /// The path and the query as they were sent.
  let target: String
  /// The body; nil when it is larger than `AccessRequest.maximumBodyCount`.
  let body: [UInt8]?
  /// The JWS of the header `Device-Signature`, or nil.
  let signature: String?
  /// The token of the session, or nil.
  let token: String?
  /// The address of the client.
  let address: String
}

extension Call {
  /// The request as the rules of wallet access read it.
  var signed: SignedRequest {
    SignedRequest(
      method: request.method, target: request.target, body: request.body, signature: credentials.deviceSignature,
      token: credentials.token, address: request.address)
  }
}

extension AccessService {
  /// Runs the rules of a signed request in one transaction.
  func decide<Value: Sendable>(
    _ request: SignedRequest, _ rule: @escaping @Sendable (WalletRules) throws -> Value
  ) async throws(AccessError) -> Value { try await decide(from: request.address, by: WalletRules.self, rule) }
}

/// The device that signed a request to a path of wallet access.
struct SigningDevice: Sendable {
  /// The identifier of the device.
  let deviceID: String
  /// The key that verified the signature: the registered one of a linked device, otherwise the one that it states.
  let key: JSONWebKey
  /// The record of a device that is linked with a wallet; nil for another one.
  let linked: WalletDeviceRecord?

  /// The key as it is stored and compared: the point alone, since a client may state its identifier once and not again.
  var storedKey: String { key.storedPoint }

  /// The SHA-256 digest of the key in base64url. It identifies a device that is not linked, whose identifier anyone can
  /// state.
  var keyDigest: String { key.digest.octets.base64URL }

  /// Checks that the device is linked with a wallet and active.
  ///
  /// - Returns: The record of the device.
  /// - Throws: A refusal with code `notRegistered` or `deviceInactive`.
  func requireActive() throws(AccessError) -> WalletDeviceRecord {
    guard let linked else { throw .notRegistered }
    guard linked.state == .active else { throw .deviceInactive }
    return linked
  }

  /// Checks that a description is that of this device.
  ///
  /// - Throws: A refusal with code `malformed`.
  func check(_ described: WalletDevice) throws(AccessError) {
    guard described.deviceID == deviceID, described.signatureKey == key else {
      throw .refused(.malformed, "the member device must describe the device that signs the request")
    }
    try described.encryptionKey.requireRecipient()
  }
}

/// What the store has of the device that claims to have signed a request.
private struct SignerReads {
  /// The device, when it is linked with a wallet.
  let linked: WalletDeviceRecord?
  /// The move of the device to another identity, when it has moved.
  let moved: MovedDeviceRecord?
  /// How many identifiers were used.
  let counts: [CountedRecords: Int]

  /// Asks for all of it.
  ///
  /// - Parameter limits: What is counted, and up to which number.
  init(
    _ signer: DeviceSignature.Signer, _ limits: [CountedRecords: Int], in store: AccessTransaction, at now: Int64
  ) throws(AccessError) {
    linked = try store.walletDevice(signer.deviceID)
    moved = try signer.key.flatMap { (key) throws(AccessError) in try store.movedDevice(formerKey: key.digest) }
    var counts: [CountedRecords: Int] = [:]
    for (records, limit) in limits { counts[records] = try store.count(of: records, atMost: limit, at: now) }
    self.counts = counts
  }
}

extension WalletRules {
  /// Verifies the signature of a request, and uses its identifier up. Every rule of wallet access begins with it.
  ///
  /// - Throws: A refusal: `malformed`, `unauthorized` for a wrong signature, `notRegistered` for a device that is not
  ///   linked and states no key, `clockSkew`, `replay`, `tooLarge`.
  func signingDevice(_ request: SignedRequest) throws(AccessError) -> SigningDevice {
    try signingDevice(request) { _, _ throws(AccessError) in }.device
  }

  /// Verifies the signature of a request, uses its identifier up, and reads in the same round trip what the rule needs.
  ///
  /// - Parameters:
  ///   - expectsLink: Whether the device is linked with a wallet, as far as the rule knows. The identifiers of others are counted
  ///     by their address.
  ///   - reads: Asks for records, also by the identifier of the device that claims to have signed the request. See `readTogether`.
  func signingDevice<Value>(
    _ request: SignedRequest, expectsLink: Bool = true,
    reading reads: (AccessTransaction, _ deviceID: String) throws(AccessError) -> Value
  ) throws(AccessError) -> (device: SigningDevice, read: Value) {
    let signer = try signer(of: request)
    let (read, value) = try transaction.readTogether { store throws(AccessError) in
      (try SignerReads(signer, counts(signer, expectsLink), in: store, at: now), try reads(store, signer.deviceID))
    }
    let (device, signature) = try verified(request, by: signer, read.linked)
    try checkAudience(signature.audience)
    if device.linked == nil {
      guard read.moved == nil else { throw .moved }
      try checkFirstOrigin(signature.audience)
    }
    try useIdentifier(of: signature, device, read.counts)
    return (try noteContact(of: device), value)
  }

  /// What is counted of the identifiers that a device has used: nothing while there is room for more.
  private func counts(_ signer: DeviceSignature.Signer, _ expectsLink: Bool) -> [CountedRecords: Int] {
    var counts = [CountedRecords.usedWalletRequests(device: signer.deviceID): RecordLimits.usedIdentifiers]
    if !expectsLink { counts[.unlinkedWalletRequests(address: network)] = RecordLimits.usedIdentifiersPerAddress }
    return counts.filter { environment.allowances.isUsed($0.key) }
  }

  /// What a request states of its signer, before its signature is verified.
  private func signer(of request: SignedRequest) throws(AccessError) -> DeviceSignature.Signer {
    guard let text = request.signature, !text.isEmpty else {
      throw .refused(.unauthorized, "the header \(DeviceSignature.headerName) is required")
    }
    guard request.body != nil else {
      throw .refused(.tooLarge, "the body has more than \(AccessRequest.maximumBodyCount) bytes")
    }
    return try refusing { () throws(DeviceSignatureError) in try DeviceSignature.signer(of: text) }
  }

  /// The device that signed a request, and its verified signature for this method, path and body. Whether the server may be meant
  /// and the identifier is new is not checked.
  func verified(_ request: SignedRequest) throws(AccessError) -> (SigningDevice, DeviceSignature) {
    let signer = try signer(of: request)
    return try verified(request, by: signer, try transaction.walletDevice(signer.deviceID))
  }

  private func verified(
    _ request: SignedRequest, by signer: DeviceSignature.Signer, _ linked: WalletDeviceRecord?
  ) throws(AccessError) -> (SigningDevice, DeviceSignature) {
    guard let key = try linked.map(Self.registeredKey) ?? signer.key else { throw .notRegistered }
    let device = SigningDevice(deviceID: signer.deviceID, key: key, linked: linked)
    let signature = try refusing { () throws(DeviceSignatureError) in
      try DeviceSignature(verifying: request.signature ?? "", with: key)
    }
    try refusing { () throws(DeviceSignatureError) in
      try signature.check(method: request.method, path: request.target, body: request.body ?? [], now: now)
    }
    return (device, signature)
  }

  /// Uses the identifier of a signature up.
  ///
  /// - Parameter counts: How many identifiers were used, as far as that was read.
  func useIdentifier(
    of signature: DeviceSignature, _ device: SigningDevice, _ counts: [CountedRecords: Int] = [:]
  ) throws(AccessError) {
    try checkRestored(signature.issuedAt)
    try checkUsedIdentifiers(of: device, counts)
    let used = UsedWalletRequestRecord(
      device: device.deviceID, requestID: signature.id, address: device.linked == nil ? network : nil,
      expiresAt: signature.issuedAt + DeviceSignature.maximumClockSkew + 1)
    guard try transaction.addOnce(used) else {
      throw .refused(.replay, "the device has used the identifier of the signature before")
    }
  }

  /// Turns an error of a signature into a refusal.
  func refusing<Value>(_ read: () throws(DeviceSignatureError) -> Value) throws(AccessError) -> Value {
    do throws(DeviceSignatureError) {
      return try read()
    } catch {
      let code: AccessFailure.Code =
        switch error {
        case .malformed: .malformed
        case .clockSkew: .clockSkew
        case .wrongSignature, .otherRequest: .unauthorized
        }
      throw .refused(code, "\(error)")
    }
  }

  /// Stores when a linked device was in contact last, at most once a minute.
  private func noteContact(of device: SigningDevice) throws(AccessError) -> SigningDevice {
    guard var linked = device.linked, now - (linked.lastContactAt ?? 0) >= 60_000 else { return device }
    linked.lastContactAt = now
    try transaction.save(linked)
    return SigningDevice(deviceID: device.deviceID, key: device.key, linked: linked)
  }

  /// Checks how many identifiers a device has used. Anyone can make a device without a wallet: those are counted by address.
  private func checkUsedIdentifiers(of device: SigningDevice, _ counts: [CountedRecords: Int]) throws(AccessError) {
    let own = CountedRecords.usedWalletRequests(device: device.deviceID)
    try checkCount(of: own, limit: RecordLimits.usedIdentifiers, counts[own])
    guard device.linked == nil else { return }
    let ofAddress = CountedRecords.unlinkedWalletRequests(address: network)
    try checkCount(of: ofAddress, limit: RecordLimits.usedIdentifiersPerAddress, counts[ofAddress])
  }

  private static func registeredKey(of device: WalletDeviceRecord) throws(AccessError) -> JSONWebKey {
    guard let json = try? JSONValue(parsing: device.signatureKey), let key = try? JSONWebKey(json) else {
      throw .damaged("the stored key of a device is not valid")
    }
    return key
  }

  /// The device of an earlier transaction of the same request, as it is now.
  ///
  /// - Throws: A refusal with code `unauthorized` when the device was linked with another key in between.
  func current(_ device: SigningDevice) throws(AccessError) -> SigningDevice {
    try current(device, try transaction.walletDevice(device.deviceID))
  }

  /// The device of an earlier transaction of the same request, with its record as it is now.
  func current(_ device: SigningDevice, _ linked: WalletDeviceRecord?) throws(AccessError) -> SigningDevice {
    guard try linked.map(Self.registeredKey) ?? device.key == device.key else {
      throw .refused(.unauthorized, "the device has another key now")
    }
    return SigningDevice(deviceID: device.deviceID, key: device.key, linked: linked)
  }
}

extension AccessError {
  /// The device is not linked with a wallet.
  static let notRegistered = refused(
    .notRegistered, "the device is not linked with a wallet: enrol, or log in with user name and password")
  /// The issuer has deactivated the device.
  static let deviceInactive = refused(.deviceInactive, "the issuer has deactivated the device")
  /// The device is linked with a wallet.
  static let deviceLinked = refused(.deviceLinked, "the device is linked with a wallet: unlink it first")
  /// What the user entered is wrong. The same text in all cases, so that it does not show whether the user exists.
  static let wrongCredentials = refused(.wrongCredentials, "what was entered is wrong, used or expired")
  /// The request needs a session.
  static let notLoggedIn = refused(.notLoggedIn, "there is no session of this device: log in")
}

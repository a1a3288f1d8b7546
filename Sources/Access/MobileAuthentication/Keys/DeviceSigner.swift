public import AccessMessages
internal import Crypto
public import DeviceAuthentication
public import JOSE
public import Octets

/// The identities of the device at its servers: its identifiers, its public keys and its signatures. With each identity it
/// proves its requests with one signing key for JWS, and reads messages for it with one key for JWE, which the device seals.
public struct DeviceSigner: Sendable {
  let store: any LocalDataStore
  let keys: any ProtectedKeyStore
  private let random: any RandomSource

  /// Creates a signer on the local data and the keys of one device.
  public init(store: any LocalDataStore, keys: any ProtectedKeyStore, random: any RandomSource = SystemRandomSource()) {
    (self.store, self.keys, self.random) = (store, keys, random)
  }

  /// Returns the identity of the device for its wallet at an issuer.
  ///
  /// - Parameter server: The issuer's origin. The identity is in the local data as long as the wallet's record is.
  public func record(forWalletAt server: String) async throws(OperationError) -> DeviceRecord {
    let records = try await read()
    let known = records.device(at: server)
    if let known, records.wallet(at: server) != nil { return known }
    var found = known
    if found == nil { found = try await identity(at: server) { records.information(of: $0) } }
    guard let identity = found else { preconditionFailure("an identity was found or made") }
    return try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.change { records in
        records.changeWallet(at: server) { _ in }
        return records.adopt(identity)
      }
    }
  }

  /// Returns the public key of the device's signatures.
  public func signatureKey(of record: DeviceRecord) async throws(OperationError) -> JSONWebKey {
    try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      let point = try await keys.publicKey(of: record.signatureKey)
      guard let key = try? JSONWebKey(x963: point, keyID: record.information.deviceId, use: .signature) else {
        throw .unavailable(reason: "the device returned a public key that is not a point of P-256")
      }
      return key
    }
  }

  /// Returns the key that reads messages for the device. Its private part stays in this process only while it is used.
  public func encryptionKey(of record: DeviceRecord) async throws(OperationError) -> any AgreementKey {
    try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      let scalar = try await record.encryptionKey.open(for: .encryptionKey, in: keys)
      guard let key = try? SoftwareKey(scalar: scalar, keyID: record.information.deviceId, use: .encryption) else {
        throw .unavailable(reason: "the sealed bytes are not a private key of P-256")
      }
      return key
    }
  }

  /// Signs a SHA-256 digest, 32 bytes (ES256, RFC 7518, section 3.4).
  ///
  /// - Returns: The numbers r and s, 64 bytes.
  public func signature(of digest: [UInt8], by record: DeviceRecord) async throws(OperationError) -> [UInt8] {
    try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      try await keys.sign(digest, with: record.signatureKey)
    }
  }

  /// A random identifier of a request: 128 bits in base64url, 22 characters.
  func newIdentifier() -> String { random.octets(16).base64URL }

  /// Signs the header of a request to wallet access. It states the key, for an issuer that does not know the device.
  public func signed(_ payload: DeviceSignature, by record: DeviceRecord) async throws(OperationError) -> String {
    let key = try await signatureKey(of: record)
    let unsigned: UnsignedJSONWebSignature
    do throws(JOSEError) {
      unsigned = try payload.unsigned(deviceID: record.information.deviceId, publicKey: key, statesKey: true)
    } catch { throw .unknown("\(error)") }
    let digest = [UInt8](SHA256.hash(data: unsigned.signedOctets))
    return unsigned.compact(signature: try await signature(of: digest, by: record))
  }

  /// Signs a payload as JWS.
  func signed(_ payload: [UInt8], by record: DeviceRecord) async throws(OperationError) -> String {
    let publicKey = try await signatureKey(of: record)
    guard let unsigned = try? UnsignedJSONWebSignature(payload, for: publicKey) else {
      throw OperationError(DeviceAuthenticationError.unavailable(reason: "the key of the device must not sign"))
    }
    let digest = [UInt8](SHA256.hash(data: unsigned.signedOctets))
    return unsigned.compact(signature: try await signature(of: digest, by: record))
  }

  func read() async throws(OperationError) -> LocalRecords {
    try await converting(OperationError.localData) { () async throws(LocalDataError) in try await store.read() }
  }

  /// Creates the keys of an identity with a new identifier.
  func create(
    at server: String, _ information: (String) -> DeviceInformation
  ) async throws(OperationError) -> DeviceRecord {
    let information = information(random.octets(16).hex)
    return try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      let sealing = try await keys.create(.sealing)
      do throws(DeviceAuthenticationError) {
        var octets = [UInt8](P256.KeyAgreement.PrivateKey().rawRepresentation)
        let sealed = try await SealedSecret.seal(
          Secret(wiping: &octets), for: .encryptionKey, with: sealing, in: keys)
        return DeviceRecord(
          server: server, information: information, signatureKey: try await keys.create(.signing),
          encryptionKey: sealed)
      } catch {
        try? await keys.delete(sealing)
        throw error
      }
    }
  }
}

// The identities that the device keeps beside its keys.
extension DeviceSigner {
  /// Returns the identity of the device at a server of which the local data have none: the one that the device keeps, or a new
  /// one when it keeps none, or one whose keys are lost.
  ///
  /// - Parameter information: How the server calls a device with an identifier.
  func identity(
    at server: String, _ information: (String) -> DeviceInformation
  ) async throws(OperationError) -> DeviceRecord {
    let kept = try await note(at: server)
    if let kept {
      let identity = kept.record(at: server, information)
      if try await !isLost(identity) { return identity }
    }
    return try await replace(kept, at: server, information)
  }

  /// Keeps a new identity in place of one; the one that another process has kept since wins.
  private func replace(
    _ former: IdentityNote?, at server: String, _ information: (String) -> DeviceInformation
  ) async throws(OperationError) -> DeviceRecord {
    let new = try await create(at: server, information)
    let note = IdentityNote(new)
    let kept = try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      try await keys.keep(note.octets, named: IdentityNote.name(at: server), replacing: former?.octets)
    }
    guard kept == note.octets else {
      for key in new.keys { try? await keys.delete(key) }
      return try IdentityNote(kept).record(at: server, information)
    }
    for key in former?.keys ?? [] { try? await keys.delete(key) }
    return new
  }

  private func note(at server: String) async throws(OperationError) -> IdentityNote? {
    let octets = try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      try await keys.note(named: IdentityNote.name(at: server))
    }
    guard let octets else { return nil }
    return try IdentityNote(octets)
  }
}

extension DeviceSigner {
  /// Replaces an identity whose keys are lost by one with new keys, a new identifier and the same name. Does nothing while
  /// its keys work. Registrations, accounts and wallets stay, and each keeps the former identifier until the next authorised
  /// operation states it to the server, which then ends what it keeps for that one.
  ///
  /// - Parameter server: The origin of the server at which the device has the identity.
  /// - Returns: Whether it was replaced.
  @discardableResult
  public func renewLostIdentity(at server: String) async throws(OperationError) -> Bool {
    guard let lost = try await read().device(at: server), try await isLost(lost) else { return false }
    let new = try await identity(at: server) { lost.information.renewed(as: $0) }
    let isRenewed = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.change { records in
        guard records.device(at: server) == lost else { return false }
        records.renewIdentity(new)
        return true
      }
    }
    for key in lost.keys { try? await keys.delete(key) }
    return isRenewed
  }

  /// Whether the device has an identity at a server whose keys work.
  public func hasWorkingIdentity(at server: String) async throws(OperationError) -> Bool {
    guard let device = try await read().device(at: server) else { return false }
    return try await !isLost(device)
  }

  private func isLost(_ device: DeviceRecord) async throws(OperationError) -> Bool {
    try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      for key in device.keys where try await keys.access(key) != .usable { return true }
      return false
    }
  }
}

extension DeviceRecord {
  /// All keys of the identity.
  var keys: [KeyIdentifier] { [signatureKey, encryptionKey.sealingKey] }
}

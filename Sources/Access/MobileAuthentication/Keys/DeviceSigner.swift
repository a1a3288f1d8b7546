internal import Crypto
public import DeviceAuthentication
public import JOSE
public import Octets

/// The device's one identity: its identifier, its public keys and its signatures. It proves its requests with one signing key
/// for JWS, and reads messages for it with one key for JWE, which the device seals.
public struct DeviceSigner: Sendable {
  private let store: any LocalDataStore
  private let keys: any ProtectedKeyStore
  private let random: any RandomSource

  /// Creates a signer on the local data and the keys of one device.
  public init(store: any LocalDataStore, keys: any ProtectedKeyStore, random: any RandomSource = SystemRandomSource()) {
    (self.store, self.keys, self.random) = (store, keys, random)
  }

  /// Returns the identity of the device for its wallet at an issuer. A device that has none gets one.
  ///
  /// - Parameter server: The issuer's origin. The identity is kept as long as the wallet's record is.
  public func record(forWalletAt server: String) async throws(OperationError) -> DeviceRecord {
    let records = try await read()
    if let device = records.device, records.wallet(at: server) != nil { return device }
    let new =
      records.device == nil
      ? try await create { DeviceInformation(name: DeviceInformation.defaultName(of: $0), deviceId: $0) } : nil
    let change: @Sendable (inout LocalRecords) -> DeviceRecord? = { records in
      records.changeWallet(at: server) { _ in }
      if records.device == nil { records.device = new }
      return records.device
    }
    let kept = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.change(change)
    }
    if let new, kept != new {
      for key in new.keys { try? await keys.delete(key) }
    }
    guard let kept else { throw .unknown("another process removed the identity of the device; try again") }
    return kept
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

  /// Signs a payload as JWS.
  func signed(_ payload: [UInt8], by record: DeviceRecord) async throws(OperationError) -> String {
    let publicKey = try await signatureKey(of: record)
    guard let unsigned = try? UnsignedJSONWebSignature(payload, for: publicKey) else {
      throw OperationError(DeviceAuthenticationError.unavailable(reason: "the key of the device must not sign"))
    }
    let digest = [UInt8](SHA256.hash(data: unsigned.signedOctets))
    return unsigned.compact(signature: try await signature(of: digest, by: record))
  }

  private func read() async throws(OperationError) -> LocalRecords {
    try await converting(OperationError.localData) { () async throws(LocalDataError) in try await store.read() }
  }

  /// Creates an identity with a new identifier.
  func create(_ information: (String) -> DeviceInformation) async throws(OperationError) -> DeviceRecord {
    let information = information(random.octets(16).hex)
    return try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      let sealing = try await keys.create(.sealing)
      do throws(DeviceAuthenticationError) {
        var octets = [UInt8](P256.KeyAgreement.PrivateKey().rawRepresentation)
        let sealed = try await SealedSecret.seal(
          Secret(wiping: &octets), for: .encryptionKey, with: sealing, in: keys)
        return DeviceRecord(
          information: information, signatureKey: try await keys.create(.signing), encryptionKey: sealed)
      } catch {
        try? await keys.delete(sealing)
        throw error
      }
    }
  }
}

extension DeviceSigner {
  /// Replaces an identity whose keys are lost by one with new keys, a new identifier and the same name. Does nothing while
  /// its keys work. Registrations, accounts and wallets stay, and each keeps the former identifier until the next authorised
  /// operation states it to the server, which then ends what it keeps for that one.
  ///
  /// - Returns: Whether it was replaced.
  @discardableResult
  public func renewLostIdentity() async throws(OperationError) -> Bool {
    guard let lost = try await read().device, try await isLost(lost) else { return false }
    let new = try await create(lost.information.renewed(as:))
    let isRenewed = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.change { records in
        guard records.device == lost else { return false }
        records.renewDevice(new)
        return true
      }
    }
    for key in (isRenewed ? lost : new).keys { try? await keys.delete(key) }
    return isRenewed
  }

  /// Whether the device has an identity whose keys work.
  public func hasWorkingIdentity() async throws(OperationError) -> Bool {
    guard let device = try await read().device else { return false }
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

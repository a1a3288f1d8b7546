public import DeviceAuthentication
public import JOSE
public import Octets

/// The device's one identity, for a wallet on the same device: its identifier, its public keys and its signatures.
public struct DeviceSigner: Sendable {
  private let store: any LocalDataStore
  private let random: any RandomSource
  private let identity: DeviceIdentity

  /// Creates a signer on the local data and the keys of one device.
  public init(store: any LocalDataStore, keys: any ProtectedKeyStore, random: any RandomSource = SystemRandomSource()) {
    self.store = store
    self.random = random
    identity = DeviceIdentity(keys: keys)
  }

  /// Returns the identity of the device for its wallet at an issuer. A device that has none gets one.
  ///
  /// - Parameter server: The issuer's origin. The identity is kept as long as the wallet's record is.
  public func record(forWalletAt server: String) async throws(OperationError) -> DeviceRecord {
    let records = try await read()
    if let device = records.device, records.wallet(at: server) != nil { return device }
    let new = records.device == nil ? try await create() : nil
    let change: @Sendable (inout LocalRecords) -> DeviceRecord? = { records in
      records.changeWallet(at: server) { _ in }
      if records.device == nil { records.device = new }
      return records.device
    }
    let kept = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.change(change)
    }
    if let new, kept != new {
      for key in DeviceIdentity.keys(of: new) { try? await identity.keys.delete(key) }
    }
    guard let kept else { throw .unknown("another process removed the identity of the device; try again") }
    return kept
  }

  /// Returns the public key of the device's signatures.
  public func signatureKey(of record: DeviceRecord) async throws(OperationError) -> JSONWebKey {
    try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      try await identity.signaturePublicKey(of: record)
    }
  }

  /// Returns the key that reads messages for the device. Its private part stays in this process only while it is used.
  public func encryptionKey(of record: DeviceRecord) async throws(OperationError) -> any AgreementKey {
    try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      try await identity.encryptionKey(of: record)
    }
  }

  /// Signs a SHA-256 digest, 32 bytes (ES256, RFC 7518, section 3.4).
  ///
  /// - Returns: The numbers r and s, 64 bytes.
  public func signature(of digest: [UInt8], by record: DeviceRecord) async throws(OperationError) -> [UInt8] {
    try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      try await identity.keys.sign(digest, with: record.signatureKey)
    }
  }

  private func read() async throws(OperationError) -> LocalRecords {
    try await converting(OperationError.localData) { () async throws(LocalDataError) in try await store.read() }
  }

  private func create(
    _ information: (String) -> DeviceInformation = {
      DeviceInformation(name: DeviceInformation.defaultName(of: $0), deviceId: $0)
    }
  ) async throws(OperationError) -> DeviceRecord {
    let information = information(random.octets(16).hex)
    return try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      try await identity.create(information)
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
    for key in DeviceIdentity.keys(of: isRenewed ? lost : new) { try? await identity.keys.delete(key) }
    return isRenewed
  }

  private func isLost(_ device: DeviceRecord) async throws(OperationError) -> Bool {
    try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      for key in DeviceIdentity.keys(of: device) where try await identity.keys.access(key) != .usable { return true }
      return false
    }
  }
}

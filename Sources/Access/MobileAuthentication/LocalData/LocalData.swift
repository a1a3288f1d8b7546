internal import AccessMessages
internal import DeviceAuthentication
public import FIDOUAF

/// What the device knows about its registrations, readable without the network.
public struct LocalData: Sendable {
  let store: any LocalDataStore
  let device: AuthenticationDevice
  let profile: AuthenticatorProfile

  /// Creates the view of one device.
  ///
  /// - Parameter profile: Which identifiers the authenticators have.
  public init(store: any LocalDataStore, device: AuthenticationDevice, profile: AuthenticatorProfile = .ios) {
    self.store = store
    self.device = device
    self.profile = profile
  }

  private var keys: any ProtectedKeyStore { device.ports.keys }

  /// The accounts with at least one registration.
  public func accounts() async throws(LocalDataError) -> [Account] {
    try await store.read().accounts.map(\.account)
  }

  /// The registrations that the servers have confirmed, locked ones included.
  public func registrations() async throws(LocalDataError) -> [RegistrationRecord] {
    try await store.read().registrations.filter { $0.state == .registered }
  }

  /// Whether every PIN and password has a counter of the device, with which a restored copy of the local data is noticed;
  /// nil without a PIN or a password.
  public func hasRollbackProtection() async throws(LocalDataError) -> Bool? {
    let sealingKeys = try await registrations().compactMap { $0.protection?.verifier.sealingKey }
    var isProtected: Bool?
    for key in sealingKeys {
      do throws(DeviceAuthenticationError) {
        let counter = try await keys.counter(of: key)
        isProtected = isProtected != false && counter != nil
      } catch {
        // The next use of the key reports why it cannot be reached.
        continue
      }
    }
    return isProtected
  }

  /// How a server calls this device; nil without a registration and a wallet there.
  ///
  /// - Parameter server: The origin of the server.
  public func deviceInformation(at server: String) async throws(LocalDataError) -> DeviceInformation? {
    try await store.read().device(at: server)?.information
  }

  /// Deletes registrations and their keys on this device only: no server is informed. With the last registration
  /// at a server the device information of that server goes as well; the device keeps its identity.
  ///
  /// - Parameters:
  ///   - username: Whose registrations; nil for all users.
  ///   - aaid: Which authenticators; nil for all.
  ///   - server: At which server, its origin; nil for all.
  /// - Throws: `.localData` or `.keyNotDeleted`. Part of the local data may be deleted then.
  public func deleteAuthenticator(
    username: String? = nil, aaid: AAID? = nil, server: String? = nil
  ) async throws(OperationError) {
    try await delete { record in
      (username.map { $0.hasSameOctets(as: record.account.username) } ?? true) && (aaid == nil || record.aaid == aaid)
        && (server == nil || record.account.server == server)
    }
  }

  /// Deletes registrations and their keys on this device.
  ///
  /// The keys of the registrations go first: a process that ends in between leaves a record that the next call removes,
  /// and no key without a record. The identity of an older version goes last, since another process may be registering.
  func delete(
    where isDeleted: @escaping @Sendable (RegistrationRecord) -> Bool
  ) async throws(OperationError) {
    let records = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.read()
    }
    for record in records.registrations where isDeleted(record) { try await deleteKeys(record.keys) }
    let removed = try await converting(OperationError.localData) { () async throws(LocalDataError) in
      try await store.change { $0.removeRegistrations(where: isDeleted) }
    }
    for record in removed.registrations { try await deleteKeys(record.keys) }
    if let device = removed.device { try await deleteKeys([device.signatureKey, device.encryptionKey.sealingKey]) }
  }

  private func deleteKeys(_ identifiers: [KeyIdentifier]) async throws(OperationError) {
    do throws(DeviceAuthenticationError) {
      for identifier in identifiers { try await keys.delete(identifier) }
    } catch { throw .keyNotDeleted(error) }
  }
}

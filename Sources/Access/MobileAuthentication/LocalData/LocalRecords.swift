internal import AccessMessages
public import FIDOUAF

/// Everything that the client keeps on the device. A plain value; `LocalDataStore` keeps it.
public struct LocalRecords: Equatable, Sendable {
  /// The version of the application that made the first registration; nil without one.
  public var firstRegistrationVersion: String?
  /// The identities of the device, at most one for each server of which there is an account or the record of a wallet.
  public var identities: [DeviceRecord] = []
  /// The accounts, in the order of their first registration.
  public var accounts: [AccountRecord]
  /// The registrations, in the order in which they were made.
  public var registrations: [RegistrationRecord] = []
  /// The wallets, at most one for each issuer.
  public var wallets: [WalletRecord] = []
}

extension LocalRecords {
  /// Creates empty records.
  public init() { self.init(accounts: []) }

  /// The origins of the servers of which the device keeps a registration or a wallet, in the order of their first use.
  public var servers: [String] {
    (accounts.map(\.account.server) + wallets.filter(\.isInUse).map(\.server))
      .reduce(into: []) { servers, server in if !servers.contains(server) { servers.append(server) } }
  }

  /// Returns the account of a user; nil when the user is not registered on any server.
  public func account(of username: String) -> AccountRecord? {
    accounts.first { $0.account.username.hasSameOctets(as: username) }
  }

  /// Returns the registrations of a user in any state, of one kind or of all kinds.
  public func registrations(of username: String, _ aaid: AAID? = nil) -> [RegistrationRecord] {
    registrations.filter { $0.account.username.hasSameOctets(as: username) && (aaid == nil || $0.aaid == aaid) }
  }

  /// Returns the position of the registration with a key; nil for an unknown key.
  public func index(of keyID: KeyID, _ aaid: AAID) -> Int? {
    registrations.firstIndex { $0.keyID == keyID && $0.aaid == aaid }
  }

  /// Returns the identity of the device at a server; nil without an account or a wallet there.
  public func device(at server: String) -> DeviceRecord? { identities.first { $0.server == server } }

  /// Adds an identity, unless there is one at its server.
  ///
  /// - Returns: The identity at the server.
  @discardableResult
  mutating func adopt(_ identity: DeviceRecord) -> DeviceRecord {
    if let known = device(at: identity.server) { return known }
    identities.append(identity)
    return identity
  }

  /// Changes how all servers call this device.
  mutating func changeInformation(_ body: (inout DeviceInformation) -> Void) {
    for index in identities.indices { body(&identities[index].information) }
  }

  /// The information of a new identity: the name that a person has given the device at another server, and where its push
  /// messages go.
  func information(of deviceID: String) -> DeviceInformation {
    let named = identities.map(\.information).first { !$0.isUnnamed }
    return DeviceInformation(
      name: named?.name ?? DeviceInformation.defaultName(of: deviceID), deviceId: deviceID,
      pushToken: named?.pushToken)
  }

  /// Replaces the identity of an older version at a server by a new one, which the server knows.
  ///
  /// - Returns: The replaced one when no other server is left that knows it.
  mutating func moveIdentity(to new: DeviceRecord) -> DeviceRecord? {
    guard let shared = device(at: new.server), shared.isShared else { return nil }
    identities.removeAll { $0.server == new.server }
    identities.append(new)
    return identities.contains(where: \.isShared) ? nil : shared
  }

  /// Replaces the identity of the device at a server, whose keys are lost. Registrations, accounts and wallets stay; the server
  /// still knows the identifier that its account or wallet then keeps as the former one.
  mutating func renewIdentity(_ new: DeviceRecord) {
    let former = device(at: new.server)?.information.deviceId
    identities.removeAll { $0.server == new.server }
    identities.append(new)
    for index in accounts.indices where accounts[index].account.server == new.server {
      accounts[index].dispatchTarget = nil
      accounts[index].formerDeviceID = accounts[index].formerDeviceID ?? former
    }
    for index in wallets.indices where wallets[index].server == new.server {
      wallets[index].formerDeviceID = wallets[index].formerDeviceID ?? former
      // The issuer deletes the cards when it learns the former identifier.
      wallets[index].hasUnreportedCardLoss = false
    }
  }

  /// Removes registrations, the accounts that have none left, and the identities of the device at servers of which there is
  /// neither an account nor a wallet left.
  ///
  /// - Returns: The removed registrations, and the identity of an older version when no server is left that knows it.
  @discardableResult
  public mutating func removeRegistrations(
    where isRemoved: (RegistrationRecord) -> Bool
  ) -> (registrations: [RegistrationRecord], device: DeviceRecord?) {
    let removed = registrations.filter(isRemoved)
    registrations.removeAll(where: isRemoved)
    accounts.removeAll { record in !registrations.contains { $0.account == record.account } }
    if registrations.isEmpty { firstRegistrationVersion = nil }
    let shared = identities.first(where: \.isShared)
    let used = Set(accounts.map(\.account.server) + wallets.map(\.server))
    identities.removeAll { !used.contains($0.server) }
    return (removed, identities.contains(where: \.isShared) ? nil : shared)
  }
}

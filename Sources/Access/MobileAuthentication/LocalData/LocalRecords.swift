internal import AccessMessages
public import FIDOUAF

/// Everything that the client keeps on the device. A plain value; `LocalDataStore` keeps it.
public struct LocalRecords: Equatable, Sendable {
  /// The version of the application that made the first registration; nil without one.
  public var firstRegistrationVersion: String?
  /// The device's identity; nil before the first registration or wallet, and after the last of them is removed.
  public var device: DeviceRecord?
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

  /// Replaces the identity of the device, whose keys are lost. Registrations, accounts and wallets stay; each server still
  /// knows the identifier that its account or wallet then keeps as the former one.
  mutating func renewDevice(_ new: DeviceRecord) {
    let former = device?.information.deviceId
    device = new
    for index in accounts.indices {
      accounts[index].dispatchTarget = nil
      accounts[index].formerDeviceID = accounts[index].formerDeviceID ?? former
    }
    for index in wallets.indices {
      wallets[index].formerDeviceID = wallets[index].formerDeviceID ?? former
      // The issuer deletes the cards when it learns the former identifier.
      wallets[index].hasUnreportedCardLoss = false
    }
  }

  /// Removes registrations, the accounts that have none left, and with the last registration the identity of the device,
  /// unless a wallet uses it.
  ///
  /// - Returns: The removed registrations, and the removed identity of the device.
  @discardableResult
  public mutating func removeRegistrations(
    where isRemoved: (RegistrationRecord) -> Bool
  ) -> (registrations: [RegistrationRecord], device: DeviceRecord?) {
    let removed = registrations.filter(isRemoved)
    registrations.removeAll(where: isRemoved)
    accounts.removeAll { record in !registrations.contains { $0.account == record.account } }
    guard registrations.isEmpty else { return (removed, nil) }
    firstRegistrationVersion = nil
    guard wallets.isEmpty else { return (removed, nil) }
    let former = device
    device = nil
    return (removed, former)
  }
}

public import ContactlessPayment
public import DeviceAuthentication
internal import Foundation
internal import GRDB
public import Octets
internal import Synchronization

// The life of a store: bound to a key of a device, unlocked with it, wiped.
extension SQLiteWalletStore {
  /// Returns the binding; nil before `bind` and after a wipe. The seal of the store is checked by `unlock` only.
  public func binding() throws(WalletStoreError) -> WalletBinding? {
    try file.read { try BindingRow.read($0) }
  }

  /// Binds an empty store and unlocks it.
  public func bind(to binding: WalletBinding, dataKey: borrowing Secret) throws(WalletStoreError) {
    let vault = try Vault(dataKey, of: binding, random: random)
    try file.change { database in
      guard try BindingRow.read(database) == nil else { throw WalletStoreError.alreadyBound }
      guard try CardRow.count(database) == 0 else { throw WalletStoreError.cardsWithoutBinding }
      try BindingRow.insert(binding, database)
      try database.execute(sql: "DELETE FROM lostKey")
      try StoreSeal.write(database, vault)
    }
    self.vault.withLock { $0 = vault }
  }

  /// Checks the seal of the store and unlocks it. Reservations of stores that are no longer open, as after a crash, are
  /// spent.
  public func unlock(with dataKey: borrowing Secret) throws(WalletStoreError) {
    guard let binding = try binding() else { throw .notBound }
    let vault = try Vault(dataKey, of: binding, random: random)
    try upgrade(with: vault)
    let closed = try file.read { database in
      try StoreSeal.check(database, vault)
      return try closedOwners(database)
    }
    self.vault.withLock { $0 = vault }
    try noteMoment()
    // They would do no harm, but would fill the tables.
    guard !closed.isEmpty, !isReadOnly else { return }
    try change { database, vault in try spendAll(of: closed, database, vault) }
  }

  /// Upgrades a store of version 4 to 7. Its cards stay.
  private func upgrade(with vault: Vault) throws(WalletStoreError) {
    guard try file.read({ try WalletSchema.isFormer($0) }) else { return }
    try file.change { database in
      // Another process may have upgraded it in the meantime.
      guard try WalletSchema.isFormer(database) else { return }
      try StoreSeal.check(database, vault)
      try WalletSchema.upgrade(database)
      try countOlderReservations(database, vault)
      try StoreSeal.write(database, vault)
    }
  }

  /// Removes all cards, keys, counters and reservations, and the binding. Also for a store that is locked or that an older
  /// version wrote.
  public func wipe(isKeyLost: Bool) throws(WalletStoreError) {
    try file.change { database in
      if try WalletSchema.version(of: database) == WalletSchema.version {
        try database.execute(sql: "DELETE FROM card; DELETE FROM binding; DELETE FROM seal; DELETE FROM lostKey")
      } else {
        try WalletSchema.replaceTables(database)
      }
      if isKeyLost { try database.execute(sql: "INSERT INTO lostKey VALUES (1)") }
    }
    vault.withLock { $0 = nil }
    images.withLock { $0 = [:] }
  }

  /// Returns the keys of former bindings that a reset could not delete from their device. They are not sealed.
  public func formerKeys() throws(WalletStoreError) -> [KeyIdentifier] {
    try file.read { database in
      guard try WalletSchema.version(of: database) == WalletSchema.version else { return [] }
      let keys: [Data] = try database.values(sql: "SELECT identifier FROM formerKey ORDER BY identifier")
      return keys.compactMap { KeyIdentifier([UInt8]($0)) }
    }
  }

  /// Keeps the key of a former binding, after a wipe.
  public func addFormerKey(_ key: KeyIdentifier) throws(WalletStoreError) {
    try file.change { database in
      try database.execute(sql: "INSERT OR IGNORE INTO formerKey VALUES (?)", arguments: [Data(key.octets)])
    }
  }

  /// Forgets the key of a former binding.
  public func removeFormerKey(_ key: KeyIdentifier) throws(WalletStoreError) {
    try file.change { database in
      try database.execute(sql: "DELETE FROM formerKey WHERE identifier = ?", arguments: [Data(key.octets)])
    }
  }

  /// Returns whether the store was wiped because the device had lost its key.
  public func isKeyLost() throws(WalletStoreError) -> Bool {
    try file.read { database in
      guard try WalletSchema.version(of: database) == WalletSchema.version else { return false }
      return try database.value(sql: "SELECT EXISTS (SELECT * FROM lostKey)") ?? false
    }
  }
}

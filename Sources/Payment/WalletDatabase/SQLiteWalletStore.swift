public import ContactlessPayment
public import EMVCard
internal import EMVCryptography
internal import GRDB
internal import Octets
internal import Synchronization

/// A wallet store that outlives its process: one SQLite database in a folder.
///
/// Every call is one transaction that is flushed to the disk before it returns. Several processes may share a store.
///
/// **The payment keys lie in the file in clear.** The folder is made with mode 0700 and the file with 0600, and
/// deleted content is overwritten with zeros, but whoever can read the file has the keys. This is a development
/// engine with test keys; a back end over a TPM is to protect them. Keys are never part of an error or a log.
public final class SQLiteWalletStore: WalletStore {
  /// The name of the database in its folder.
  public static let fileName = "wallet.sqlite"
  /// The version of the tables that this engine writes (`PRAGMA user_version`).
  public static var schemaVersion: Int { WalletSchema.version }

  let file: WalletFile
  /// Only the store that took a reservation can give its uses back. One that a crash left has no such store any more:
  /// its uses stay spent.
  private let owner = Int64.random(in: .min ... .max)
  /// Compiled images by the card's place, which is never used again.
  private let images = Mutex<[Int64: CardImage]>([:])

  /// Opens the store of a folder, or makes both.
  ///
  /// - Parameter directory: The folder; its parent must exist.
  /// - Throws: `WalletStoreError.notWritable`, `.newerStore`, `.corrupt`, `.full`, `.busy` or `.storage`. What is
  ///   there stays as it is.
  public convenience init(directory: String) throws(WalletStoreError) {
    try self.init(directory: directory, maximumPages: nil)
  }

  /// Opens a store that can grow to a number of pages only.
  init(directory: String, maximumPages: Int?) throws(WalletStoreError) {
    file = try WalletFile(directory: directory, name: Self.fileName, maximumPages: maximumPages)
  }

  /// All cards, in the order in which they came.
  public func cards() throws(WalletStoreError) -> [DigitalCard] {
    try file.read { database in
      try CardRow.all(database).map { row in
        DigitalCard(
          id: row.id, image: try image(of: row, database), state: row.state, isDefault: row.isDefault,
          paymentsLeft: try AccountRow.all(of: row.place, database).map(\.usable).min() ?? 0,
          customDirectory: row.customDirectory, walletData: row.walletData)
      }
    }
  }

  /// Adds an active card; the first becomes the default.
  public func add(_ id: String, _ image: CardImage, keys: [LimitedUseKey]) throws(WalletStoreError) {
    let limit = InMemoryWalletStore.maximumNameLength
    guard (1...limit).contains(id.count) else { throw .invalidName(limit: limit) }
    guard keys.count == image.applications.count else {
      throw .wrongKeys(applications: image.applications.count, keys: keys.count)
    }
    guard let profile = image.json else { throw .noProfile }
    try file.change { database in
      let rows = try CardRow.all(database)
      guard !rows.contains(where: { $0.id == id }) else { throw WalletStoreError.cardExists(id) }
      let isDefault = !rows.contains(where: \.isDefault)
      let place = try CardRow.insert(id, profile, isDefault: isDefault, database)
      for (application, key) in keys.enumerated() {
        try AccountRow.insert(key, place, application, database)
      }
    }
  }

  /// Changes whether a card may pay.
  public func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) {
    try file.change { database in
      let row = try CardRow.named(id, database)
      try database.execute(
        sql: "UPDATE card SET state = ? WHERE place = ?", arguments: [state.rawValue, row.place])
    }
  }

  /// Makes a card the default.
  public func setDefault(_ id: String) throws(WalletStoreError) {
    try file.change { database in
      let row = try CardRow.named(id, database)
      try database.execute(sql: "UPDATE card SET isDefault = 0 WHERE isDefault = 1")
      try database.execute(sql: "UPDATE card SET isDefault = 1 WHERE place = ?", arguments: [row.place])
    }
  }

  /// Keeps the directory that a card answers with in the place of its image's.
  public func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try file.change { try CardRow.named(id, $0).set("customDirectory", octets, $0) }
  }

  /// Keeps what the wallet adds to a card's issuer application data.
  public func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try file.change { try CardRow.named(id, $0).set("walletData", octets, $0) }
  }

  /// Removes a card with its keys, counters and reservations.
  public func delete(_ id: String) throws(WalletStoreError) {
    try file.change { database in
      let row = try CardRow.named(id, database)
      try database.execute(sql: "DELETE FROM card WHERE place = ?", arguments: [row.place])
    }
  }

  /// Takes one use of every application of a card out of the store.
  public func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    typealias Taken = (ReservationID, CardImage, [AccountRow])
    let (name, image, accounts) = try file.change { (database) throws -> Taken in
      let row = try CardRow.named(id, database)
      guard row.state == .active else { throw WalletStoreError.cardNotActive(row.state) }
      let image = try self.image(of: row, database)
      let accounts = try AccountRow.all(of: row.place, database)
      guard accounts.count == image.applications.count else {
        throw WalletStoreError.corrupt("a card's keys do not match its profile")
      }
      guard accounts.allSatisfy({ $0.usable > 0 }) else { throw WalletStoreError.noUseLeft }
      return (try ReservationRow.take(accounts, of: row.place, owner, database), image, accounts)
    }
    let keys = TripleDESKeys(count: accounts.count) { place in
      image.applications[place].cryptogramVersion.cryptogramKey(
        masterKey: accounts[place].key.masterKey, atc: accounts[place].counter)
    }
    return ReservedUses(id: name, counters: accounts.map(\.counter), keys: keys)
  }

  /// Ends a reservation of this store object.
  public func settle(_ reservation: ReservationID, spent: Set<Int>) throws(WalletStoreError) {
    try file.change { try ReservationRow.settle(reservation, owner, spent: spent, $0) }
  }

  /// Removes all cards, keys, counters and reservations.
  public func wipe() throws(WalletStoreError) {
    try file.change { try $0.execute(sql: "DELETE FROM card") }
    images.withLock { $0 = [:] }
  }

  private func image(of row: CardRow, _ database: Database) throws -> CardImage {
    if let known = images.withLock({ $0[row.place] }) { return known }
    let compiled: CardImage
    do {
      compiled = try CardImage(json: try row.profile(database))
    } catch is CardProfileError {
      throw WalletStoreError.corrupt("the profile of a card does not compile")
    }
    images.withLock { $0[row.place] = compiled }
    return compiled
  }
}

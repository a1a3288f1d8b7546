public import ContactlessPayment
public import EMVCard
internal import GRDB
public import Octets
internal import Synchronization

/// A durable wallet store: one SQLite database in a folder.
///
/// Every call is one transaction that is flushed to the disk before it returns. Several processes may share a store.
///
/// **The payment keys are stored in the file in clear.** The folder is created with mode 0700 and the file with 0600,
/// and deleted content is overwritten with zeros, but everyone who can read the file can read the keys. Use test keys
/// only. Keys are never part of an error or a log.
public final class SQLiteWalletStore: WalletStore {
  /// The name of the database in its folder.
  public static let fileName = "wallet.sqlite"
  /// The name of the file whose locks show which stores are open.
  static let ownersFileName = "wallet.owners"
  /// The version of the tables that this engine writes (`PRAGMA user_version`).
  public static var schemaVersion: Int { WalletSchema.version }

  let file: WalletFile
  /// Only the store that made a reservation can release its uses.
  private let owner: StoreOwner
  private let clock: any WallClock
  /// Compiled images by the card's place, which is never reused.
  private let images = Mutex<[Int64: CardImage]>([:])

  /// Opens the store of a folder, or creates both. Tables of an older version are upgraded. Reservations of stores that
  /// are no longer open, as after a crash, are spent.
  ///
  /// - Parameters:
  ///   - directory: The folder; its parent must exist.
  ///   - clock: The date by which keys expire.
  /// - Throws: `WalletStoreError.notWritable`, `.newerStore`, `.corrupt`, `.full`, `.busy` or `.storage`. Nothing was
  ///   changed then.
  public convenience init(
    directory: String, clock: any WallClock = SystemWallClock()
  ) throws(WalletStoreError) {
    try self.init(directory: directory, clock: clock, maximumPages: nil)
  }

  /// Opens a store whose file is limited to a number of pages.
  init(directory: String, clock: any WallClock = SystemWallClock(), maximumPages: Int?) throws(WalletStoreError) {
    file = try WalletFile(directory: directory, name: Self.fileName, maximumPages: maximumPages)
    owner = try StoreOwner(path: directory + "/" + Self.ownersFileName)
    self.clock = clock
    try spendAbandoned()
  }

  /// Spends the reservations of stores that are no longer open. They would do no harm, but would fill the tables.
  private func spendAbandoned() throws(WalletStoreError) {
    let closed = try file.read { try ReservationRow.owners($0) }.filter { !owner.isAlive($0) }
    guard !closed.isEmpty else { return }
    try file.change { database in
      for owner in closed { try ReservationRow.spendAll(of: owner, database) }
    }
  }

  /// Returns all cards, in the order in which they were added.
  public func cards() throws(WalletStoreError) -> [DigitalCard] {
    let now = clock.now
    return try file.read { database in
      try CardRow.all(database).map { row in
        let accounts = try AccountRow.all(of: row.place, database)
        return DigitalCard(
          id: row.id, image: try image(of: row, database), state: row.state, isDefault: row.isDefault,
          keys: accounts.flatMap { $0.batches.statuses(of: $0.application, from: $0.nextCounter, at: now) },
          keyKinds: accounts.map(\.keyKind),
          replenishmentThreshold: row.threshold,
          freeCounters: accounts.map { $0.batches.freeCounter(from: $0.nextCounter) },
          customDirectory: row.customDirectory, walletData: row.walletData, number: row.place)
      }
    }
  }

  /// Adds an active card. It becomes the default when no card is.
  public func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int
  ) throws(WalletStoreError) {
    guard InMemoryWalletStore.takes(name: id) else {
      throw .invalidName(limit: InMemoryWalletStore.maximumNameLength)
    }
    guard InMemoryWalletStore.thresholds.contains(threshold) else { throw .invalidThreshold(threshold) }
    try PaymentKeys.check(keys, for: image, at: clock.now)
    guard let profile = image.json else { throw .noProfile }
    try file.change { database in
      let rows = try CardRow.all(database)
      guard !rows.contains(where: { $0.id == id }) else { throw WalletStoreError.cardExists(id) }
      let isDefault = !rows.contains(where: \.isDefault)
      let place = try CardRow.insert(id, profile, isDefault: isDefault, threshold: threshold, database)
      for application in keys.indices { try AccountRow.insert(application, of: place, database) }
      try KeyRow.insert(keys, place, database)
    }
  }

  /// Adds batches of keys to a card.
  public func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) {
    let now = clock.now
    try file.change { database in
      let row = try CardRow.named(id, database)
      try PaymentKeys.check(keys, for: try image(of: row, database), at: now)
      try KeyRow.prune(row.place, at: now, database)
      try KeyRow.insert(keys, row.place, database)
    }
  }

  /// Changes a card's state. A card that is retired is no longer the default.
  public func apply(_ action: CardAction, to id: String) throws(WalletStoreError) {
    try file.change { database in
      let row = try CardRow.named(id, database)
      try row.set(try row.state.applying(action), database)
    }
  }

  /// Sets a card's state. A card that is retired is no longer the default.
  public func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) {
    try file.change { try CardRow.named(id, $0).set(state, $0) }
  }

  /// Makes a card the default; throws for a retired one.
  public func setDefault(_ id: String) throws(WalletStoreError) {
    try file.change { database in
      let row = try CardRow.named(id, database)
      guard row.state != .retired else { throw WalletStoreError.cardNotActive(row.state) }
      try database.execute(sql: "UPDATE card SET isDefault = 0 WHERE isDefault = 1")
      try database.execute(sql: "UPDATE card SET isDefault = 1 WHERE place = ?", arguments: [row.place])
    }
  }

  /// Stores the directory that replaces the one of a card's image.
  public func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try file.change { try CardRow.named(id, $0).set("customDirectory", octets, $0) }
  }

  /// Stores the wallet's part of a card's issuer application data.
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

  /// Reserves one use of every application of a card.
  public func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    typealias Taken = (name: ReservationID, image: CardImage, counters: [UInt16], materials: [KeyMaterial])
    let now = clock.now
    let taken = try file.change { (database) throws -> Taken in
      let row = try CardRow.named(id, database)
      guard row.state == .active else { throw WalletStoreError.cardNotActive(row.state) }
      let image = try self.image(of: row, database)
      let accounts = try AccountRow.all(of: row.place, database)
      guard accounts.map(\.application) == Array(image.applications.indices) else {
        throw WalletStoreError.corrupt("a card's keys do not match its profile")
      }
      let uses = try accounts.map { account in
        guard let use = account.batches.nextUse(from: account.nextCounter, at: now) else {
          throw WalletStoreError.noUseLeft
        }
        return ReservationRow.Use(
          application: account.application, key: account.keys[use.place].place, counter: use.counter)
      }
      let materials = try uses.map { try KeyRow.material($0.key, database) }
      for (material, application) in zip(materials, image.applications) { try material.check(for: application) }
      let name = try ReservationRow.take(uses, of: row.place, owner.name, database)
      return (name, image, uses.map(\.counter), materials)
    }
    return ReservedUses(id: taken.name, of: taken.image, counters: taken.counters, materials: taken.materials)
  }

  /// Ends a reservation of this store object.
  public func settle(_ reservation: ReservationID, spent: Set<Int>) throws(WalletStoreError) {
    try file.change { try ReservationRow.settle(reservation, owner.name, spent: spent, $0) }
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

public import ContactlessPayment
internal import DeviceAuthentication
public import EMVCard
internal import GRDB
public import Octets
internal import Synchronization

/// A durable wallet store: one SQLite database in a folder.
///
/// Every call is one transaction that is flushed to the disk before it returns. Several processes may share a store.
///
/// Payment keys, signing keys, profiles, directories and wallet data are sealed with AES-256 in GCM under the data key of the binding,
/// which only the device returns. A further seal over all rows detects a file that was changed by another program. In
/// clear are the names and states of cards, the numbers, kinds and expiries of keys, and the counters. The folder is
/// created with mode 0700 and the file with 0600, and deleted content is overwritten with zeros.
///
/// A store is locked after its creation: `bind` or `unlock` opens it. `Wallet.configure` calls them.
public final class SQLiteWalletStore: WalletStore {
  /// The name of the database in its folder.
  public static let fileName = "wallet.sqlite"
  /// The name of the file whose locks show which stores are open.
  static let ownersFileName = "wallet.owners"
  /// The name of the page that armed cards and withdrawals share.
  static let withdrawalsFileName = "wallet.withdrawals"
  /// The version of the tables that this engine writes (`PRAGMA user_version`).
  public static var schemaVersion: Int { WalletSchema.version }

  let file: WalletFile
  /// The key of the binding after `bind` or `unlock`.
  let vault = Mutex<Vault?>(nil)
  let random: any RandomSource
  /// Only the store that made a reservation can release its uses.
  let owner: StoreOwner
  let clock: any WallClock
  /// Compiled images by the card's place, which is never reused.
  let images = Mutex<[Int64: CardImage]>([:])
  /// By the card's place.
  private let statuses = Mutex<[Int64: SeenStatus]>([:])
  private let page = Mutex<WithdrawalPage?>(nil)
  private let directory: String

  /// Opens the store of a folder, or creates both. A store that this process may not write is opened for reading, and every
  /// change of it throws `.notWritable`. A store of version 4 to 7 is upgraded when it is unlocked. One of an
  /// older version is upgraded when it has no card; otherwise only a wipe is possible.
  ///
  /// - Parameters:
  ///   - directory: The folder; its parent must exist.
  ///   - clock: The date by which keys expire. When it is set back, the latest date that the store has seen holds.
  ///   - random: The source of the nonces of sealed values.
  /// - Throws: `WalletStoreError.exposed`, `.notWritable`, `.newerStore`, `.corrupt`, `.full`, `.busy` or `.storage`. Nothing was
  ///   changed then.
  public convenience init(
    directory: String, clock: any WallClock = SystemWallClock(), random: any RandomSource = SystemRandomSource()
  ) throws(WalletStoreError) {
    try self.init(directory: directory, clock: clock, random: random, maximumPages: nil)
  }

  /// Opens a store whose file is limited to a number of pages.
  init(
    directory: String, clock: any WallClock = SystemWallClock(), random: any RandomSource = SystemRandomSource(),
    maximumPages: Int?
  ) throws(WalletStoreError) {
    file = try WalletFile(directory: directory, name: Self.fileName, maximumPages: maximumPages)
    let owners = directory + "/" + Self.ownersFileName
    owner = file.isReadOnly ? StoreOwner(ofReadOnly: owners) : try StoreOwner(path: owners)
    self.directory = directory
    self.clock = clock
    self.random = random
  }

  /// Returns the page in the folder, which the first call maps, and a later one again when it was replaced. Nil on a network
  /// file system, and in a folder that cannot be written.
  public func withdrawals() -> WithdrawalPage? {
    page.withLock { page in
      if page?.isInPlace != true { page = try? WithdrawalPage(mapping: "\(directory)/\(Self.withdrawalsFileName)") }
      return page
    }
  }

  /// Whether this process may not write the store.
  public var isReadOnly: Bool { file.isReadOnly }

  /// Returns the number of cards, also of a store that is locked or that an older version wrote.
  public func cardCount() throws(WalletStoreError) -> Int {
    try file.read { try CardRow.count($0) }
  }

  /// Returns the state of a card, a block since its reservation, and the key of the binding, which are not sealed.
  ///
  /// The database is read only after a change of its file: a process that is stopped in a reading has a lock, and no other
  /// process can store a change then.
  public func status(ofCard number: Int64) throws(WalletStoreError) -> CardStatus {
    let mark = try file.mark()
    let seen = statuses.withLock { $0[number] }
    if let seen, seen.mark == mark, seen.isConfirmed { return seen.status }
    let status = try file.read { database in
      CardStatus(
        key: try BindingRow.read(database)?.key.identifier, state: try CardRow.state(ofCardAt: number, database),
        block: try ReservationRow.block(ofCard: number, owner.name, database))
    }
    // Two changes in one tick of the file system's clock leave one mark, so it is trusted from the second reading on.
    let isConfirmed = seen?.mark == mark
    statuses.withLock { $0[number] = SeenStatus(mark: mark, status: status, isConfirmed: isConfirmed) }
    return status
  }

  /// The status of a card, and the mark of the file before it was read.
  private struct SeenStatus {
    let mark: [Int64]
    let status: CardStatus
    let isConfirmed: Bool
  }

  /// Returns all cards, in the order in which they were added.
  public func cards() throws(WalletStoreError) -> [DigitalCard] {
    return try file.read { database in
      guard try BindingRow.read(database) != nil else { return [] }
      let vault = try unlocked(database)
      let now = try date(database)
      return try CardRow.all(database).map { try digitalCard($0, at: now, database, vault) }
    }
  }

  private func digitalCard(_ row: CardRow, at now: WallTime, _ database: StoreConnection, _ vault: Vault)
    throws(WalletStoreError) -> DigitalCard
  {
    let accounts = try AccountRow.all(of: row.place, database)
    let image = try image(of: row, database, vault)
    let state = try row.cardState(of: image, vault) ?? CardState(of: image)
    return DigitalCard(
      id: row.id, image: image, state: row.state, isDefault: row.isDefault,
      keys: accounts.flatMap { $0.batches.statuses(of: $0.application, from: $0.nextCounter, at: now) },
      keyKinds: accounts.map(\.keyKind),
      replenishmentThreshold: row.threshold,
      freeCounters: accounts.map { $0.batches.freeCounter(from: $0.nextCounter) },
      customDirectory: try row.customDirectory(vault), walletData: try row.walletData(vault), number: row.place,
      issuer: row.issuer, cardState: state, offline: try offlineApprovals(of: row.place, state, database))
  }

  /// Adds an active card. It becomes the default when no card is.
  public func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String?, signingKey: CardSigningKey?
  ) throws(WalletStoreError) {
    guard InMemoryWalletStore.takes(name: id) else {
      throw .invalidName(limit: InMemoryWalletStore.maximumNameLength)
    }
    guard InMemoryWalletStore.thresholds.contains(threshold) else { throw .invalidThreshold(threshold) }
    try PaymentKeys.check(keys, for: image, at: file.read { try date($0) })
    try CardSigningKey.check(signingKey, for: image)
    guard let profile = image.json else { throw .noProfile }
    try change { database, vault in
      let rows = try CardRow.all(database)
      guard !rows.contains(where: { $0.id == id }) else { throw WalletStoreError.cardExists(id) }
      let isDefault = !rows.contains(where: \.isDefault)
      let named = issuer.flatMap { $0.isEmpty ? nil : $0 }
      let place = try CardRow.insert(
        id, profile, isDefault: isDefault, threshold: threshold, issuer: named, database, vault)
      if let signingKey { try CardRow.set(signingKey, ofCardAt: place, database, vault) }
      for application in keys.indices { try AccountRow.insert(application, of: place, database) }
      try KeyRow.insert(keys, place, database, vault)
    }
  }

  /// Names the issuer of the cards that a version before 6 has added: it stored none.
  ///
  /// - Parameter issuer: The origin of the issuer's server.
  public func adoptCards(by issuer: String) throws(WalletStoreError) {
    guard try file.read({ try $0.value(sql: "SELECT EXISTS (SELECT * FROM card WHERE issuer = '')") }) == true
    else { return }
    try change { database, _ in
      try database.execute(sql: "UPDATE card SET issuer = ? WHERE issuer = ''", arguments: [issuer])
    }
  }

  /// Adds batches of keys to a card.
  public func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) {
    try change { database, vault in
      let now = try date(database)
      let row = try CardRow.named(id, database)
      try PaymentKeys.check(keys, for: try image(of: row, database, vault), at: now)
      try KeyRow.prune(row.place, at: now, database)
      try KeyRow.insert(keys, row.place, database, vault)
    }
  }

  /// Removes the keys of a card below counters.
  public func removeKeys(of id: String, below counters: [Int]) throws(WalletStoreError) {
    try change { database, _ in
      let row = try CardRow.named(id, database)
      for (account, counter) in zip(try AccountRow.all(of: row.place, database), counters) {
        if account.batches.contains(where: { $0.isEnded(below: counter) }) { try BindingRow.markUncounted(database) }
        try account.removeKeys(below: counter, ofCard: row.place, database)
      }
      try KeyRow.prune(row.place, at: nil, database)
    }
  }

  /// Changes a card's state. A card that is retired is no longer the default.
  public func apply(_ action: CardAction, to id: String) throws(WalletStoreError) {
    try change { database, vault in
      let row = try CardRow.named(id, database)
      let state = try row.cardState(of: try image(of: row, database, vault), vault)
      if action == .resume, state?.isBlockedByIssuer ?? false { throw WalletStoreError.blockedByIssuer }
      try row.set(try row.state.applying(action), database)
      if action.stopsPayments != nil { try BindingRow.markUncounted(database) }
    }
  }

  /// Sets a card's state. A card that is retired is no longer the default.
  public func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) {
    try change { database, _ in
      let row = try CardRow.named(id, database)
      if row.state.loses(by: state) { try BindingRow.markUncounted(database) }
      try row.set(state, database)
    }
  }

  /// Makes a card the default; throws for a retired one.
  public func setDefault(_ id: String) throws(WalletStoreError) {
    try change { database, _ in
      let row = try CardRow.named(id, database)
      guard row.state != .retired else { throw WalletStoreError.cardNotActive(row.state) }
      try database.execute(sql: "UPDATE card SET isDefault = 0 WHERE isDefault = 1")
      try database.execute(sql: "UPDATE card SET isDefault = 1 WHERE place = ?", arguments: [row.place])
    }
  }

  /// Stores the directory that replaces the one of a card's image.
  public func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try change { try CardRow.named(id, $0).set(.customDirectory, octets, $0, $1) }
  }

  /// Stores the wallet's part of a card's issuer application data.
  public func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try change { try CardRow.named(id, $0).set(.walletData, octets, $0, $1) }
  }

  /// Removes a card with its keys, counters and reservations.
  public func delete(_ id: String) throws(WalletStoreError) {
    try change { database, _ in
      let row = try CardRow.named(id, database)
      try database.execute(sql: "DELETE FROM card WHERE place = ?", arguments: [row.place])
      try BindingRow.markUncounted(database)
    }
  }
}

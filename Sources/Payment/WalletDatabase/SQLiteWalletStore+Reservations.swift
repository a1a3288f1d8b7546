public import ContactlessPayment
public import EMVCard
internal import Octets
internal import Synchronization

extension SQLiteWalletStore {
  /// Takes the counting lock; nil while another wallet has it.
  public func lockCounting() throws(WalletStoreError) -> CountingLock? { try owner.lockCounting() }

  /// Stores how the count compares with the counter of the device's key, under the seal.
  public func setCounting(_ counting: WalletBinding.Counting) throws(WalletStoreError) {
    try change { database, _ in try BindingRow.set(counting, database) }
  }

  /// Raises the count of the binding when a right was taken away since it was raised last, under the seal.
  public func countWithdrawals() throws(WalletStoreError) {
    try change { database, _ in try BindingRow.countWithdrawals(database) }
  }

  /// Reserves one use of every application of a card, and raises the count of the binding.
  public func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    typealias Taken = (
      name: ReservationID, image: CardImage, counters: [UInt16], materials: [KeyMaterial],
      signingKey: CardSigningKey?, cardState: CardState, offline: [OfflineApprovals]
    )
    try noteMoment()
    let taken = try change { (database, vault) throws -> Taken in
      let now = try date(database)
      let row = try CardRow.named(id, database)
      guard row.state == .active else { throw WalletStoreError.cardNotActive(row.state) }
      let image = try self.image(of: row, database, vault)
      let accounts = try AccountRow.all(of: row.place, database)
      guard accounts.map(\.application) == Array(image.applications.indices) else {
        throw WalletStoreError.corrupt("a card's keys do not match its profile")
      }
      let uses = try accounts.map { account in
        guard let use = account.batches.nextUse(from: account.nextCounter, at: now) else {
          throw WalletStoreError.noUseLeft
        }
        return (key: account.keys[use.place], counter: use.counter)
      }
      let materials = try uses.map { try $0.key.material(of: row.place, database, vault) }
      let signingKey = try row.signingKey(database, vault)
      try CardSigningKey.check(signingKey, for: image)
      for (material, application) in zip(materials, image.applications) { try material.check(for: application) }
      let state = try row.cardState(of: image, vault) ?? CardState(of: image)
      let offline = try self.offlineAllowances(of: row.place, image, state, database)
      let rows = zip(uses, offline).map { use, offline in
        ReservationRow.Use(
          application: use.key.application, key: use.key.place, counter: use.counter, offline: offline)
      }
      let name = try ReservationRow.take(rows, of: row.place, owner.name, database)
      try BindingRow.advance(database)
      try BindingRow.set(latestDate: now, database)
      return (name, image, uses.map(\.counter), materials, signingKey, state, offline)
    }
    return ReservedUses(
      id: taken.name, of: taken.image, counters: taken.counters, materials: taken.materials,
      signingKey: taken.signingKey, cardState: taken.cardState, offline: taken.offline)
  }

  /// Ends a reservation of this store object. A wipe has removed the reservations of the former binding.
  public func settle(
    _ reservation: ReservationID, spent: Set<Int>, counting outcome: OfflineOutcome
  ) throws(WalletStoreError) {
    try file.change { database in
      guard let vault = vault.withLock({ $0 }), vault.belongs(to: try BindingRow.read(database)) else { return }
      try sealing(database, vault) {
        let uses = try ReservationRow.settle(reservation, owner.name, spent: spent, database).filter(\.isSpent)
        guard outcome != .none, let card = uses.first?.card else { return }
        // They are counted in the card then, and end with the count.
        if outcome == .issuerAuthenticated { try spendAll(of: closedOwners(database), database, vault) }
        try changeState(ofCard: card, database, vault) { state in
          for use in uses { state.count(outcome, of: use.application) }
        }
      }
    }
  }
}

// Access to the sealed content.
extension SQLiteWalletStore {
  /// Runs changes in one transaction of a store that is unlocked.
  func change<Result>(_ body: (StoreConnection, Vault) throws -> Result) throws(WalletStoreError) -> Result {
    try file.change { database in
      let vault = try unlocked(database)
      return try sealing(database, vault) { try body(database, vault) }
    }
  }

  /// Checks the seal, runs changes and seals their result.
  private func sealing<Result>(_ database: StoreConnection, _ vault: Vault, _ body: () throws -> Result) throws
    -> Result
  {
    try StoreSeal.check(database, vault)
    let result = try body()
    try StoreSeal.write(database, vault)
    return result
  }

  /// Returns the vault of the present binding.
  ///
  /// - Throws: `WalletStoreError.notBound`, `.locked` or `.cardsWithoutBinding`.
  func unlocked(_ database: StoreConnection) throws(WalletStoreError) -> Vault {
    guard let binding = try BindingRow.read(database) else { throw .notBound }
    guard let vault = vault.withLock({ $0 }), vault.belongs(to: binding) else {
      throw .locked
    }
    return vault
  }

  /// Returns the compiled profile of a card.
  func image(of row: CardRow, _ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) -> CardImage {
    if let known = images.withLock({ $0[row.place] }) { return known }
    let profile = try row.profile(database, vault)
    let compiled: CardImage
    do throws(CardProfileError) {
      compiled = try CardImage(json: profile)
    } catch {
      throw .corrupt("the profile of a card does not compile")
    }
    images.withLock { $0[row.place] = compiled }
    return compiled
  }
}

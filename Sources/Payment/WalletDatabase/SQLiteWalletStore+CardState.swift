public import ContactlessPayment
public import EMVCard
internal import GRDB

// What its issuer and payments change in a card.
extension SQLiteWalletStore {
  /// Makes the changes of an issuer's script in the stored state of a card, under the seal.
  public func applyScript(_ changes: [CardStateChange], toCard number: Int64) throws(WalletStoreError) {
    try change { database, vault in
      try changeState(ofCard: number, database, vault) { state in
        for change in changes { state.apply(change) }
      }
      if changes.contains(where: \.isCounted) { try BindingRow.markUncounted(database) }
      if changes.contains(where: \.isBlock) { try ReservationRow.noteBlock(ofCard: number, by: owner.name, database) }
    }
  }

  /// Changes what is stored for a card. An unknown card is ignored.
  func changeState(
    ofCard place: Int64, _ database: StoreConnection, _ vault: Vault, _ change: (inout CardState) -> Void
  ) throws(WalletStoreError) {
    guard let row = try CardRow.all(database).first(where: { $0.place == place }) else { return }
    let image = try image(of: row, database, vault)
    var state = try row.cardState(of: image, vault) ?? CardState(of: image)
    change(&state)
    try row.set(state, database, vault)
  }
}

// Payments without the issuer: those that are counted in the state of a card, and those that reservations count.
extension SQLiteWalletStore {
  /// The owners of reservations whose stores are no longer open.
  func closedOwners(_ database: StoreConnection) throws(WalletStoreError) -> Set<Int64> {
    try ReservationRow.owners(database).filter { !owner.isAlive($0) }
  }

  /// Ends all reservations of owners that have ended. What they count as approved without the issuer stays counted in the card.
  func spendAll(of owners: Set<Int64>, _ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) {
    for owner in owners {
      for use in try ReservationRow.spendAll(of: owner, database) where use.offline != .none {
        try changeState(ofCard: use.card, database, vault) { state in
          state.count(use.offline, of: use.application)
        }
      }
    }
  }

  /// What one more payment of each application may approve without its issuer.
  func offlineAllowances(
    of card: Int64, _ image: CardImage, _ state: CardState, _ database: StoreConnection
  ) throws(WalletStoreError) -> [OfflineApprovals] {
    let approved = try offlineApprovals(of: card, state, database)
    return zip(image.applications, approved).map { $0.offlineApproval?.allowance(after: $1) ?? .none }
  }

  /// What each application of a card has approved without its issuer, with what reservations count.
  func offlineApprovals(
    of card: Int64, _ state: CardState, _ database: StoreConnection
  ) throws(WalletStoreError) -> [OfflineApprovals] {
    try state.applications.indices.map { application throws(WalletStoreError) in
      try state.applications[application].offline + ReservationRow.offline(application, of: card, database)
    }
  }

  /// Lets the reservations of a store that was upgraded count what they may have approved: their processes have ended, or cannot settle
  /// them in tables of this version.
  func countOlderReservations(_ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) {
    let places: [Int64] = try database.values(sql: "SELECT DISTINCT card FROM reservation")
    for row in try CardRow.all(database) where places.contains(row.place) {
      let applications = try image(of: row, database, vault).applications
      try ReservationRow.countOffline(of: row.place, database) { application in
        guard applications.indices.contains(application) else { return .none }
        return applications[application].offlineApproval?.allowance(after: .none) ?? .none
      }
    }
  }
}

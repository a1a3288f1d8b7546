internal import ContactlessPayment
internal import EMVCard
internal import GRDB

/// Rows of `reservation` and `reservedUse`.
enum ReservationRow {
  /// A use to reserve.
  struct Use {
    let application: Int
    let key: Int64
    let counter: UInt16
    /// What the payment may approve without its issuer.
    let offline: OfflineApprovals
  }

  /// A use whose reservation has ended.
  struct EndedUse {
    let card: Int64
    let application: Int
    let isSpent: Bool
    /// What the reservation counted as approved without the issuer.
    let offline: OfflineApprovals
  }

  /// Reserves uses. The caller has checked that they are available.
  static func take(_ uses: [Use], of card: Int64, _ owner: Int64, _ database: StoreConnection) throws(WalletStoreError)
    -> ReservationID
  {
    try database.execute(sql: "INSERT INTO reservation (owner, card) VALUES (?, ?)", arguments: [owner, card])
    let name = database.lastInsertedRowID
    for use in uses {
      try database.execute(
        sql: "UPDATE paymentKey SET usesLeft = usesLeft - 1 WHERE place = ?", arguments: [use.key])
      try database.execute(
        sql: """
          INSERT INTO reservedUse (reservation, application, counter, key, offlineCount, offlineAmount)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          name, use.application, Int(use.counter), use.key, use.offline.count, Int64(clamping: use.offline.amount),
        ])
    }
    return ReservationID(rawValue: UInt64(bitPattern: name))
  }

  /// Ends a reservation of an owner: the named uses are spent, the others are released. Returns its uses; none for a reservation
  /// that is not there.
  static func settle(
    _ reservation: ReservationID, _ owner: Int64, spent: Set<Int>, _ database: StoreConnection
  ) throws(WalletStoreError) -> [EndedUse] {
    try end(Int64(bitPattern: reservation.rawValue), owner, spent: { spent.contains($0) }, database)
  }

  /// Returns what the reservations of an application count as approved without the issuer.
  static func offline(_ application: Int, of card: Int64, _ database: StoreConnection) throws(WalletStoreError)
    -> OfflineApprovals
  {
    try database.rows(
      sql: """
        SELECT offlineCount, offlineAmount FROM reservedUse JOIN reservation ON reservation = name
        WHERE card = ? AND application = ?
        """, arguments: [card, application]
    ).reduce(OfflineApprovals.none) { $0 + offline($1) }
  }

  private static func offline(_ row: Row) -> OfflineApprovals {
    let amount: Int64 = row["offlineAmount"]
    return OfflineApprovals(count: row["offlineCount"], amount: UInt64(clamping: amount))
  }

  /// Lets the reservations of an older version, which counted nothing, count the most that they may have approved.
  ///
  /// - Parameter limit: The most for an application.
  static func countOffline(of card: Int64, _ database: StoreConnection, limit: (Int) -> OfflineApprovals)
    throws(WalletStoreError)
  {
    let applications: [Int] = try database.values(
      sql: "SELECT DISTINCT application FROM reservedUse JOIN reservation ON reservation = name WHERE card = ?",
      arguments: [card])
    for application in applications {
      let offline = limit(application)
      try database.execute(
        sql: """
          UPDATE reservedUse SET offlineCount = ?, offlineAmount = ?
          WHERE application = ? AND reservation IN (SELECT name FROM reservation WHERE card = ?)
          """, arguments: [offline.count, Int64(clamping: offline.amount), application, card])
    }
  }

  /// Marks all reservations of a card: its issuer has blocked the card or an application, in a payment of an owner.
  static func noteBlock(ofCard card: Int64, by owner: Int64, _ database: StoreConnection) throws(WalletStoreError) {
    typealias Block = CardStatus.IssuerBlock
    try database.execute(
      sql: "UPDATE reservation SET issuerBlock = iif(owner = ?, coalesce(issuerBlock, ?), ?) WHERE card = ?",
      arguments: [owner, Block.byOwnPayment.rawValue, Block.byOtherPayment.rawValue, card])
  }

  /// Returns the block of a card since the latest reservation of an owner.
  static func block(ofCard card: Int64, _ owner: Int64, _ database: StoreConnection) throws(WalletStoreError)
    -> CardStatus.IssuerBlock?
  {
    let mark: Int? = try database.value(
      sql: "SELECT issuerBlock FROM reservation WHERE card = ? AND owner = ? ORDER BY name DESC LIMIT 1",
      arguments: [card, owner])
    return mark.flatMap(CardStatus.IssuerBlock.init)
  }

  /// Returns the owners of all reservations.
  static func owners(_ database: StoreConnection) throws(WalletStoreError) -> Set<Int64> {
    Set(try database.values(sql: "SELECT DISTINCT owner FROM reservation"))
  }

  /// Ends all reservations of an owner whose process has ended. Its cryptograms are unknown, so all uses are spent. Returns the uses.
  static func spendAll(of owner: Int64, _ database: StoreConnection) throws(WalletStoreError) -> [EndedUse] {
    let names: [Int64] = try database.values(sql: "SELECT name FROM reservation WHERE owner = ?", arguments: [owner])
    let uses = try names.map { name throws(WalletStoreError) in try end(name, owner, spent: { _ in true }, database) }
    return Array(uses.joined())
  }

  private static func end(
    _ name: Int64, _ owner: Int64, spent: (Int) -> Bool, _ database: StoreConnection
  ) throws(WalletStoreError) -> [EndedUse] {
    let uses = try database.rows(
      sql: """
        SELECT card, application, counter, key, offlineCount, offlineAmount FROM reservation JOIN reservedUse ON reservation = name
        WHERE name = ? AND owner = ?
        """, arguments: [name, owner])
    for use in uses {
      let application: Int = use["application"]
      if spent(application) {
        try AccountRow.use(use["counter"], application, of: use["card"], database)
      } else {
        let key: Int64 = use["key"]
        try database.execute(
          sql: "UPDATE paymentKey SET usesLeft = usesLeft + 1 WHERE place = ?", arguments: [key])
      }
    }
    try database.execute(sql: "DELETE FROM reservation WHERE name = ? AND owner = ?", arguments: [name, owner])
    guard let card: Int64 = uses.first?["card"] else { return [] }
    try KeyRow.prune(card, at: nil, database)
    return uses.map { use in
      let application: Int = use["application"]
      return EndedUse(card: card, application: application, isSpent: spent(application), offline: offline(use))
    }
  }
}

internal import ContactlessPayment
internal import GRDB

/// Rows of `reservation` and `reservedUse`.
enum ReservationRow {
  /// A use to reserve.
  struct Use {
    let application: Int
    let key: Int64
    let counter: UInt16
  }

  /// Reserves uses. The caller has checked that they are available.
  static func take(_ uses: [Use], of card: Int64, _ owner: Int64, _ database: WalletConnection) throws(WalletStoreError)
    -> ReservationID
  {
    try database.execute(sql: "INSERT INTO reservation (owner, card) VALUES (?, ?)", arguments: [owner, card])
    let name = database.lastInsertedRowID
    for use in uses {
      try database.execute(
        sql: "UPDATE paymentKey SET usesLeft = usesLeft - 1 WHERE place = ?", arguments: [use.key])
      try database.execute(
        sql: "INSERT INTO reservedUse (reservation, application, counter, key) VALUES (?, ?, ?, ?)",
        arguments: [name, use.application, Int(use.counter), use.key])
    }
    return ReservationID(rawValue: UInt64(bitPattern: name))
  }

  /// Ends a reservation of an owner: the named uses are spent, the others are released. Returns the place of its card; nil for a
  /// reservation that is not there.
  static func settle(
    _ reservation: ReservationID, _ owner: Int64, spent: Set<Int>, _ database: WalletConnection
  ) throws(WalletStoreError) -> Int64? {
    try end(Int64(bitPattern: reservation.rawValue), owner, spent: { spent.contains($0) }, database)
  }

  /// Returns the owners of all reservations.
  static func owners(_ database: WalletConnection) throws(WalletStoreError) -> Set<Int64> {
    Set(try database.values(sql: "SELECT DISTINCT owner FROM reservation"))
  }

  /// Ends all reservations of an owner whose process has ended. Its cryptograms are unknown, so all uses are spent.
  static func spendAll(of owner: Int64, _ database: WalletConnection) throws(WalletStoreError) {
    let names: [Int64] = try database.values(sql: "SELECT name FROM reservation WHERE owner = ?", arguments: [owner])
    for name in names { _ = try end(name, owner, spent: { _ in true }, database) }
  }

  private static func end(
    _ name: Int64, _ owner: Int64, spent: (Int) -> Bool, _ database: WalletConnection
  ) throws(WalletStoreError) -> Int64? {
    let uses = try database.rows(
      sql: """
        SELECT card, application, counter, key FROM reservation JOIN reservedUse ON reservation = name
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
    guard let card: Int64 = uses.first?["card"] else { return nil }
    try KeyRow.prune(card, at: nil, database)
    return card
  }
}

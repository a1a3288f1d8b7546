internal import ContactlessPayment
internal import Foundation
internal import GRDB
internal import Octets

/// A row of `card` without its profile.
struct CardRow {
  let place: Int64
  let id: String
  let state: DigitalCard.State
  let isDefault: Bool
  let customDirectory: [UInt8]?
  let walletData: [UInt8]?

  static func all(_ database: Database) throws -> [CardRow] {
    try Row.fetchAll(
      database, sql: "SELECT place, id, state, isDefault, customDirectory, walletData FROM card ORDER BY place"
    ).map { row in
      guard let state = DigitalCard.State(rawValue: row["state"]) else {
        throw WalletStoreError.corrupt("a card has a state that does not exist")
      }
      let (directory, data): (Data?, Data?) = (row["customDirectory"], row["walletData"])
      return CardRow(
        place: row["place"], id: row["id"], state: state, isDefault: row["isDefault"],
        customDirectory: directory.map([UInt8].init), walletData: data.map([UInt8].init))
    }
  }

  /// Names are compared as Swift compares strings, which SQL does not.
  static func named(_ id: String, _ database: Database) throws -> CardRow {
    guard let row = try all(database).first(where: { $0.id == id }) else { throw WalletStoreError.unknownCard(id) }
    return row
  }

  /// Inserts an active card and gives its place.
  static func insert(_ id: String, _ profile: [UInt8], isDefault: Bool, _ database: Database) throws -> Int64 {
    try database.execute(
      sql: "INSERT INTO card (id, profile, state, isDefault) VALUES (?, ?, ?, ?)",
      arguments: [id, Data(profile), DigitalCard.State.active.rawValue, isDefault])
    return database.lastInsertedRowID
  }

  /// Sets one of the columns of octets.
  func set(_ column: String, _ octets: [UInt8]?, _ database: Database) throws {
    try database.execute(
      sql: "UPDATE card SET \(column) = ? WHERE place = ?", arguments: [octets.map { Data($0) }, place])
  }

  func profile(_ database: Database) throws -> [UInt8] {
    let stored = try Data.fetchOne(database, sql: "SELECT profile FROM card WHERE place = ?", arguments: [place])
    return [UInt8](stored ?? Data())
  }
}

/// A row of `account`: the key and the counter of one application.
struct AccountRow {
  let application: Int
  let key: LimitedUseKey
  let nextCounter: Int

  /// The counter of the next payment; defined while there is one.
  var counter: UInt16 { UInt16(clamping: nextCounter) }
  /// How many payments are left before the key or the counter ends (tag 9F36 has two octets).
  var usable: Int { min(key.uses, 0x1_0000 - nextCounter) }

  static func all(of place: Int64, _ database: Database) throws -> [AccountRow] {
    try Row.fetchAll(
      database,
      sql: "SELECT application, masterKey, nextCounter, usesLeft FROM account WHERE card = ? ORDER BY application",
      arguments: [place]
    ).map { row in
      let stored: Data = row["masterKey"]
      guard stored.count == 16 else { throw WalletStoreError.corrupt("a key has not 16 octets") }
      var octets = [UInt8](stored)
      let next: Int = row["nextCounter"]
      let key = LimitedUseKey(
        masterKey: Secret(wiping: &octets), firstCounter: UInt16(clamping: next), uses: row["usesLeft"])
      return AccountRow(application: row["application"], key: key, nextCounter: next)
    }
  }

  static func insert(_ key: LimitedUseKey, _ place: Int64, _ application: Int, _ database: Database) throws {
    let octets = key.masterKey.withExposedOctets { exposed in Data(exposed.indices.map { exposed[$0] }) }
    try database.execute(
      sql: "INSERT INTO account (card, application, masterKey, nextCounter, usesLeft) VALUES (?, ?, ?, ?, ?)",
      arguments: [place, application, octets, Int(key.firstCounter), key.uses])
  }
}

/// Rows of `reservation` and `reservedUse`.
enum ReservationRow {
  /// Takes one use of each account; the caller has made sure that there is one.
  static func take(
    _ accounts: [AccountRow], of place: Int64, _ owner: Int64, _ database: Database
  ) throws -> ReservationID {
    try database.execute(sql: "INSERT INTO reservation (owner, card) VALUES (?, ?)", arguments: [owner, place])
    let name = database.lastInsertedRowID
    for account in accounts {
      try database.execute(
        sql: """
          UPDATE account SET nextCounter = nextCounter + 1, usesLeft = usesLeft - 1
          WHERE card = ? AND application = ?
          """, arguments: [place, account.application])
      try database.execute(
        sql: "INSERT INTO reservedUse (reservation, application, counter) VALUES (?, ?, ?)",
        arguments: [name, account.application, account.nextCounter])
    }
    return ReservationID(rawValue: UInt64(bitPattern: name))
  }

  /// Gives back what was not spent and forgets the reservation.
  static func settle(
    _ reservation: ReservationID, _ owner: Int64, spent: Set<Int>, _ database: Database
  ) throws {
    let name = Int64(bitPattern: reservation.rawValue)
    let uses = try Row.fetchAll(
      database,
      sql: """
        SELECT card, application, counter FROM reservation JOIN reservedUse ON reservation = name
        WHERE name = ? AND owner = ?
        """, arguments: [name, owner])
    for use in uses {
      let application: Int = use["application"]
      let counter: Int = use["counter"]
      let card: Int64 = use["card"]
      guard !spent.contains(application) else { continue }
      // A counter that others have passed meanwhile is skipped: gaps are legal, repeats are not.
      try database.execute(
        sql: """
          UPDATE account SET usesLeft = usesLeft + 1,
            nextCounter = CASE nextCounter WHEN ? THEN ? ELSE nextCounter END
          WHERE card = ? AND application = ?
          """, arguments: [counter + 1, counter, card, application])
    }
    try database.execute(sql: "DELETE FROM reservation WHERE name = ? AND owner = ?", arguments: [name, owner])
  }
}

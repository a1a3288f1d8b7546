internal import ContactlessPayment
internal import Foundation
internal import GRDB
internal import Octets

/// A row of `account` with its keys, themselves left out: the counters of one application.
struct AccountRow {
  let application: Int
  /// The lowest counter that is neither used nor reserved.
  let nextCounter: Int
  let keys: [KeyRow]

  var batches: [KeyBatch] { keys.map(\.batch) }

  static func all(of card: Int64, _ database: Database) throws -> [AccountRow] {
    let keys = try KeyRow.all(of: card, database)
    return try Row.fetchAll(
      database,
      sql: """
        SELECT application, max(floor, 1 + coalesce((
            SELECT max(counter) FROM reservedUse JOIN reservation ON reservation = name
            WHERE reservation.card = account.card AND reservedUse.application = account.application), 0)) AS next
        FROM account WHERE card = ? ORDER BY application
        """, arguments: [card]
    ).map { row in
      let application: Int = row["application"]
      return AccountRow(
        application: application, nextCounter: row["next"], keys: keys.filter { $0.application == application })
    }
  }

  /// Makes an account that has used no counter.
  static func insert(_ application: Int, of card: Int64, _ database: Database) throws {
    try database.execute(
      sql: "INSERT INTO account (card, application, floor) VALUES (?, ?, 1)", arguments: [card, application])
  }

  /// Notes that a counter was used.
  static func use(_ counter: Int, _ application: Int, of card: Int64, _ database: Database) throws {
    try database.execute(
      sql: "UPDATE account SET floor = max(floor, ?) WHERE card = ? AND application = ?",
      arguments: [counter + 1, card, application])
  }
}

/// A row of `paymentKey`, the key itself left out.
struct KeyRow {
  let place: Int64
  let application: Int
  let batch: KeyBatch

  static func all(of card: Int64, _ database: Database) throws -> [KeyRow] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT place, application, kind, firstCounter, usesLeft, expiry FROM paymentKey WHERE card = ? ORDER BY place
        """, arguments: [card]
    ).map { row in
      let expiry: Int64? = row["expiry"]
      let batch = KeyBatch(
        kind: try kind(row), firstCounter: row["firstCounter"], usesLeft: row["usesLeft"],
        expiry: expiry.map { WallTime(seconds: $0) })
      return KeyRow(place: row["place"], application: row["application"], batch: batch)
    }
  }

  private static func kind(_ row: Row) throws -> PaymentKeyKind {
    guard let kind = PaymentKeyKind(rawValue: row["kind"]) else {
      throw WalletStoreError.corrupt("a key is of a kind that does not exist")
    }
    return kind
  }

  static func insert(_ keys: [PaymentKeys], _ card: Int64, _ database: Database) throws {
    for (application, batch) in keys.enumerated() {
      for part in batch.parts {
        try database.execute(
          sql: """
            INSERT INTO paymentKey (card, application, kind, key, cvc3Key, firstCounter, usesLeft, expiry)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            card, application, part.batch.kind.rawValue, part.material.exposedKey, part.material.exposedCVC3Key,
            part.batch.firstCounter, part.batch.usesLeft, part.batch.expiry?.seconds,
          ])
      }
    }
  }

  /// The key itself, for a payment.
  static func material(_ place: Int64, _ database: Database) throws -> KeyMaterial {
    guard
      let row = try Row.fetchOne(
        database, sql: "SELECT kind, key, cvc3Key FROM paymentKey WHERE place = ?", arguments: [place])
    else { throw WalletStoreError.corrupt("a key is not where it was") }
    let (key, cvc3Key): (Data, Data?) = (row["key"], row["cvc3Key"])
    let kind = try kind(row)
    guard let cvc3Key else { return KeyMaterial(kind: kind, key: try secret(key), cvc3Key: nil) }
    return KeyMaterial(kind: kind, key: try secret(key), cvc3Key: try secret(cvc3Key))
  }

  private static func secret(_ stored: Data) throws -> Secret {
    guard stored.count == 16 else { throw WalletStoreError.corrupt("a key has not 16 octets") }
    var octets = [UInt8](stored)
    return Secret(wiping: &octets)
  }

  /// Removes the keys of a card that are used up, and the expired ones when a moment is given. Reserved ones stay.
  static func prune(_ card: Int64, at now: WallTime?, _ database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM paymentKey WHERE card = ? AND (usesLeft = 0 OR expiry <= ?)
          AND place NOT IN (SELECT key FROM reservedUse)
        """, arguments: [card, now?.seconds])
  }
}

extension KeyMaterial {
  /// The octets for the file: see `SQLiteWalletStore` on how they lie there.
  fileprivate var exposedKey: Data { key.exposedData }

  fileprivate var exposedCVC3Key: Data? {
    switch cvc3Key {
    case .some(let cvc3Key): cvc3Key.exposedData
    case .none: nil
    }
  }
}

extension Secret {
  fileprivate var exposedData: Data {
    withExposedOctets { octets in Data(octets.indices.map { octets[$0] }) }
  }
}

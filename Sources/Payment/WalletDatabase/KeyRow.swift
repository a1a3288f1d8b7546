internal import ContactlessPayment
internal import Foundation
internal import GRDB
internal import Octets

/// A row of `account` with its keys without their bytes: the counters of one application.
struct AccountRow {
  let application: Int
  /// The lowest counter that is neither used nor reserved.
  let nextCounter: Int
  /// The kind of the keys that were added last.
  let keyKind: PaymentKeyKind
  let keys: [KeyRow]

  var batches: [KeyBatch] { keys.map(\.batch) }

  static func all(of card: Int64, _ database: StoreConnection) throws(WalletStoreError) -> [AccountRow] {
    let keys = try KeyRow.all(of: card, database)
    return try database.rows(
      sql: """
        SELECT application, keyKind, max(floor, 1 + coalesce((
            SELECT max(counter) FROM reservedUse JOIN reservation ON reservation = name
            WHERE reservation.card = account.card AND reservedUse.application = account.application), 0)) AS next
        FROM account WHERE card = ? ORDER BY application
        """, arguments: [card]
    ).map { row throws(WalletStoreError) in
      let application: Int = row["application"]
      return AccountRow(
        application: application, nextCounter: row["next"], keyKind: try KeyRow.kind(row["keyKind"]),
        keys: keys.filter { $0.application == application })
    }
  }

  /// Inserts an account that has used no counter.
  static func insert(_ application: Int, of card: Int64, _ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(
      sql: "INSERT INTO account (card, application, floor) VALUES (?, ?, 1)", arguments: [card, application])
  }

  /// Takes all uses of the keys whose first counter is below another one, and stores that their counters were used.
  func removeKeys(below counter: Int, ofCard card: Int64, _ database: StoreConnection) throws(WalletStoreError) {
    let free = batches.filter { $0.firstCounter < counter }.freeCounter(from: nextCounter)
    try Self.use(free - 1, application, of: card, database)
    try database.execute(
      sql: "UPDATE paymentKey SET usesLeft = 0 WHERE card = ? AND application = ? AND firstCounter < ?",
      arguments: [card, application, counter])
  }

  /// Stores that a counter was used.
  static func use(_ counter: Int, _ application: Int, of card: Int64, _ database: StoreConnection)
    throws(WalletStoreError)
  {
    try database.execute(
      sql: "UPDATE account SET floor = max(floor, ?) WHERE card = ? AND application = ?",
      arguments: [counter + 1, card, application])
  }
}

/// A row of `paymentKey` without the bytes of the key.
struct KeyRow {
  let place: Int64
  let application: Int
  let batch: KeyBatch

  static func all(of card: Int64, _ database: StoreConnection) throws(WalletStoreError) -> [KeyRow] {
    try database.rows(
      sql: """
        SELECT place, application, kind, firstCounter, usesLeft, expiry FROM paymentKey WHERE card = ? ORDER BY place
        """, arguments: [card]
    ).map { row throws(WalletStoreError) in
      let expiry: Int64? = row["expiry"]
      let batch = KeyBatch(
        kind: try kind(row["kind"]), firstCounter: row["firstCounter"], usesLeft: row["usesLeft"],
        expiry: expiry.map { WallTime(seconds: $0) })
      return KeyRow(place: row["place"], application: row["application"], batch: batch)
    }
  }

  fileprivate static func kind(_ name: String) throws(WalletStoreError) -> PaymentKeyKind {
    guard let kind = PaymentKeyKind(rawValue: name) else {
      throw .corrupt("a key has an unknown kind")
    }
    return kind
  }

  static func insert(_ keys: [PaymentKeys], _ card: Int64, _ database: StoreConnection, _ vault: Vault)
    throws(WalletStoreError)
  {
    for (application, batch) in keys.enumerated() {
      try database.execute(
        sql: "UPDATE account SET keyKind = ? WHERE card = ? AND application = ?",
        arguments: [batch.kind.rawValue, card, application])
      for part in batch.parts {
        let place = { SealedColumn.paymentKey(card: card, application: application, part.batch, $0) }
        try database.execute(
          sql: """
            INSERT INTO paymentKey (card, application, kind, key, cvc3Key, scriptKey, firstCounter, usesLeft, expiry)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            card, application, part.batch.kind.rawValue, vault.seal(part.material.key, as: place(.key)),
            vault.sealIfPresent(part.material.cvc3Key, as: place(.cvc3Key)),
            vault.sealIfPresent(part.material.scriptKey, as: place(.scriptKey)), part.batch.firstCounter,
            part.batch.usesLeft,
            part.batch.expiry?.seconds,
          ])
      }
    }
  }

  /// Returns the key with its bytes, for a payment.
  func material(of card: Int64, _ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) -> KeyMaterial {
    guard
      let row = try database.rows(
        sql: "SELECT key, cvc3Key, scriptKey FROM paymentKey WHERE place = ?", arguments: [place]
      ).first
    else { throw .corrupt("the key of a use is missing") }
    let (key, cvc3Key, scriptKey): (Data?, Data?, Data?) = (row["key"], row["cvc3Key"], row["scriptKey"])
    guard let opened = try secret(key, card, .key, vault) else {
      throw .corrupt("the key of a use is missing")
    }
    return KeyMaterial(
      kind: batch.kind, key: opened, cvc3Key: try secret(cvc3Key, card, .cvc3Key, vault),
      scriptKey: try secret(scriptKey, card, .scriptKey, vault))
  }

  private func secret(
    _ sealed: Data?, _ card: Int64, _ column: SealedColumn.KeyColumn, _ vault: Vault
  ) throws(WalletStoreError) -> Secret? {
    guard let sealed else { return nil }
    let place = SealedColumn.paymentKey(card: card, application: application, batch, column)
    var octets = try vault.open(sealed, as: place)
    guard octets.count == 16 else { throw .corrupt("the length of a key is not 16 bytes") }
    return Secret(wiping: &octets)
  }

  /// Whether a key with uses left expires after a date and until another one.
  static func expires(after former: WallTime, until date: WallTime, _ database: StoreConnection)
    throws(WalletStoreError) -> Bool
  {
    try database.value(
      sql: "SELECT EXISTS (SELECT * FROM paymentKey WHERE usesLeft > 0 AND expiry > ? AND expiry <= ?)",
      arguments: [former.seconds, date.seconds]) ?? false
  }

  /// Removes the used-up keys of a card and, when a moment is given, the expired ones. Reserved keys stay.
  static func prune(_ card: Int64, at now: WallTime?, _ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(
      sql: """
        DELETE FROM paymentKey WHERE card = ? AND (usesLeft = 0 OR expiry <= ?)
          AND place NOT IN (SELECT key FROM reservedUse)
        """, arguments: [card, now?.seconds])
  }
}

extension Vault {
  fileprivate func seal(_ key: borrowing Secret, as place: SealedColumn) -> Data {
    key.withExposedOctets { seal($0, as: place) }
  }

  fileprivate func sealIfPresent(_ key: borrowing Secret?, as place: SealedColumn) -> Data? {
    switch key {
    case .some(let key): seal(key, as: place)
    case .none: nil
    }
  }
}

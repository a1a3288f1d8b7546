internal import ContactlessPayment
internal import Foundation
internal import GRDB
internal import GuardedSQLite

/// The seal over the schema and all rows of a store: a tag of AES-GCM, written by every change and checked before the next
/// one. The schema is also compared with the known one, so that a foreign trigger, view or index is never sealed.
///
/// It detects rows that were changed, moved, removed or taken from an older copy of the file. An older copy of the whole
/// file has a valid seal: the count of the binding detects it, where the device has a counter.
enum StoreSeal {
  /// The tables that the seal covers, with the columns that order their rows.
  private static let tables = [
    ("binding", "place"), ("card", "place"), ("account", "card, application"), ("paymentKey", "place"),
    ("reservation", "name"), ("reservedUse", "reservation, application"),
  ]

  /// Checks the seal.
  ///
  /// - Throws: `WalletStoreError.corrupt` when the schema is not that of the store's version; `.locked` when the store has
  ///   no binding or another one than the vault; `.notAuthentic` when the rows are not those that were sealed.
  static func check(_ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) {
    let content = try content(database)
    guard vault.belongs(to: try BindingRow.read(database)) else { throw .locked }
    let stored: Data? = try database.value(sql: "SELECT octets FROM seal")
    _ = try vault.open(stored ?? Data(), as: .store(content))
  }

  /// Seals the schema and the present rows.
  static func write(_ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) {
    let empty: [UInt8] = []
    let octets = vault.seal(empty.span, as: .store(try content(database)))
    try database.execute(sql: "INSERT OR REPLACE INTO seal (place, octets) VALUES (1, ?)", arguments: [octets])
  }

  /// The schema and all rows. Version 4 sealed its rows only.
  private static func content(_ database: StoreConnection) throws(WalletStoreError) -> [UInt8] {
    let schema = try WalletSchema.schema(of: database)
    var rows: [UInt8] = []
    for (table, order) in tables {
      rows += try database.octets(ofRows: "SELECT * FROM \(table) ORDER BY \(order)", named: table)
    }
    guard try WalletSchema.version(of: database) > 4 else { return rows }
    // The numbers that were given last, so that none is given again.
    let numbers = try database.octets(ofRows: "SELECT * FROM sqlite_sequence ORDER BY name", named: "sqlite_sequence")
    return schema.octets + rows + numbers
  }
}

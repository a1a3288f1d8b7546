internal import ContactlessPayment
internal import Foundation
internal import GRDB

/// The seal over all rows of a store: a tag of AES-GCM, written by every change and checked before the next one.
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
  /// - Throws: `WalletStoreError.locked` when the store has no binding or another one than the vault;
  ///   `.notAuthentic` when the rows are not those that were sealed.
  static func check(_ database: Database, _ vault: Vault) throws {
    guard vault.belongs(to: try BindingRow.read(database)) else { throw WalletStoreError.locked }
    let stored = try Data.fetchOne(database, sql: "SELECT octets FROM seal")
    _ = try vault.open(stored ?? Data(), as: .store(try rows(database)))
  }

  /// Seals the present rows.
  static func write(_ database: Database, _ vault: Vault) throws {
    let empty: [UInt8] = []
    let octets = vault.seal(empty.span, as: .store(try rows(database)))
    try database.execute(sql: "INSERT OR REPLACE INTO seal (place, octets) VALUES (1, ?)", arguments: [octets])
  }

  /// All values of all rows, each with its type and length, so that different rows have different octets.
  private static func rows(_ database: Database) throws -> [UInt8] {
    var result: [UInt8] = []
    for (table, order) in tables {
      let rows = try Row.fetchCursor(database, sql: "SELECT * FROM \(table) ORDER BY \(order)")
      while let row = try rows.next() {
        result += Array("\(table) ".utf8)
        for value in row.databaseValues { append(value, to: &result) }
      }
    }
    return result
  }

  private static func append(_ value: DatabaseValue, to result: inout [UInt8]) {
    let (type, octets): (String, [UInt8]) =
      switch value.storage {
      case .null: ("null", [])
      case .int64(let number): ("integer", Array("\(number)".utf8))
      case .double(let number): ("real", Array("\(number)".utf8))
      case .string(let text): ("text", Array(text.utf8))
      case .blob(let data): ("blob", [UInt8](data))
      }
    result += Array("\(type) \(octets.count) ".utf8)
    result += octets
  }
}

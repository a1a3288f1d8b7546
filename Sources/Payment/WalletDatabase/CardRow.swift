internal import ContactlessPayment
internal import Foundation
internal import GRDB

/// A row of `card` without its profile.
struct CardRow {
  let place: Int64
  let id: String
  let state: DigitalCard.State
  let isDefault: Bool
  let threshold: Int
  let customDirectory: [UInt8]?
  let walletData: [UInt8]?

  static func all(_ database: Database) throws -> [CardRow] {
    try Row.fetchAll(
      database,
      sql: "SELECT place, id, state, isDefault, threshold, customDirectory, walletData FROM card ORDER BY place"
    ).map { row in
      guard let state = DigitalCard.State(rawValue: row["state"]) else {
        throw WalletStoreError.corrupt("a card has an unknown state")
      }
      let (directory, data): (Data?, Data?) = (row["customDirectory"], row["walletData"])
      return CardRow(
        place: row["place"], id: row["id"], state: state, isDefault: row["isDefault"], threshold: row["threshold"],
        customDirectory: directory.map([UInt8].init), walletData: data.map([UInt8].init))
    }
  }

  /// Returns the row of a card. Names are compared as Swift strings, which SQL does not do.
  ///
  /// - Throws: `WalletStoreError.unknownCard`.
  static func named(_ id: String, _ database: Database) throws -> CardRow {
    guard let row = try all(database).first(where: { $0.id == id }) else { throw WalletStoreError.unknownCard(id) }
    return row
  }

  /// Inserts an active card and returns its place.
  static func insert(
    _ id: String, _ profile: [UInt8], isDefault: Bool, threshold: Int, _ database: Database
  ) throws -> Int64 {
    try database.execute(
      sql: "INSERT INTO card (id, profile, state, isDefault, threshold) VALUES (?, ?, ?, ?, ?)",
      arguments: [id, Data(profile), DigitalCard.State.active.rawValue, isDefault, threshold])
    return database.lastInsertedRowID
  }

  /// Sets the state. A card that is retired is no longer the default.
  func set(_ state: DigitalCard.State, _ database: Database) throws {
    try database.execute(sql: "UPDATE card SET state = ? WHERE place = ?", arguments: [state.rawValue, place])
    guard state == .retired else { return }
    try database.execute(sql: "UPDATE card SET isDefault = 0 WHERE place = ?", arguments: [place])
  }

  /// Sets `customDirectory` or `walletData`.
  func set(_ column: String, _ octets: [UInt8]?, _ database: Database) throws {
    try database.execute(
      sql: "UPDATE card SET \(column) = ? WHERE place = ?", arguments: [octets.map { Data($0) }, place])
  }

  func profile(_ database: Database) throws -> [UInt8] {
    let stored = try Data.fetchOne(database, sql: "SELECT profile FROM card WHERE place = ?", arguments: [place])
    return [UInt8](stored ?? Data())
  }
}

internal import ContactlessPayment
internal import EMVCard
internal import Foundation
internal import GRDB
internal import Octets

/// A row of `card` without its profile. Directory and wallet data are sealed.
struct CardRow {
  let place: Int64
  let id: String
  let state: DigitalCard.State
  let isDefault: Bool
  let threshold: Int
  /// The origin of the issuer's server; nil for a card of no server, and for one whose server is not known yet.
  let issuer: String?
  private let customDirectory: Data?
  private let walletData: Data?
  private let cardState: Data?

  static func all(_ database: StoreConnection) throws(WalletStoreError) -> [CardRow] {
    try database.rows(sql: "SELECT * FROM card ORDER BY place").map { row throws(WalletStoreError) in
      let issuer: String? = row["issuer"]
      return CardRow(
        place: row["place"], id: row["id"], state: try state(row["state"]), isDefault: row["isDefault"],
        threshold: row["threshold"], issuer: issuer.flatMap { $0.isEmpty ? nil : $0 },
        customDirectory: row["customDirectory"], walletData: row["walletData"], cardState: row["cardState"])
    }
  }

  private static func state(_ name: String) throws(WalletStoreError) -> DigitalCard.State {
    guard let state = DigitalCard.State(rawValue: name) else {
      throw .corrupt("a card has an unknown state")
    }
    return state
  }

  /// Returns the state of a card; nil when no card has the place.
  static func state(ofCardAt place: Int64, _ database: StoreConnection) throws(WalletStoreError) -> DigitalCard.State? {
    let name: String? = try database.value(sql: "SELECT state FROM card WHERE place = ?", arguments: [place])
    return try name.map(state)
  }

  /// Stores what its issuer and payments have changed in the card. A card that its issuer has blocked is retired.
  func set(_ state: CardState, _ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) {
    try set(.cardState, state.json, database, vault)
    if state.isBlocked { try set(.retired, database) }
  }

  /// Returns the row of a card. Names are compared as Swift strings, which SQL does not do.
  ///
  /// - Throws: `WalletStoreError.unknownCard`.
  static func named(_ id: String, _ database: StoreConnection) throws(WalletStoreError) -> CardRow {
    guard let row = try all(database).first(where: { $0.id == id }) else { throw .unknownCard(id) }
    return row
  }

  /// The number of cards, which is not sealed.
  static func count(_ database: StoreConnection) throws(WalletStoreError) -> Int {
    try database.value(sql: "SELECT count(*) FROM card") ?? 0
  }

  /// Inserts an active card and returns its place.
  static func insert(
    _ id: String, _ profile: [UInt8], isDefault: Bool, threshold: Int, issuer: String?, _ database: StoreConnection,
    _ vault: Vault
  ) throws(WalletStoreError) -> Int64 {
    try database.execute(
      sql: "INSERT INTO card (id, profile, state, isDefault, threshold, issuer) VALUES (?, x'', ?, ?, ?, ?)",
      arguments: [id, DigitalCard.State.active.rawValue, isDefault, threshold, issuer])
    // The profile is bound to the place, which the database has chosen now.
    let place = database.lastInsertedRowID
    try database.execute(
      sql: "UPDATE card SET profile = ? WHERE place = ?",
      arguments: [vault.seal(profile.span, as: .card(place, .profile)), place])
    return place
  }

  /// Sets the state. A card that is retired is no longer the default.
  func set(_ state: DigitalCard.State, _ database: StoreConnection) throws(WalletStoreError) {
    try database.execute(sql: "UPDATE card SET state = ? WHERE place = ?", arguments: [state.rawValue, place])
    guard state == .retired else { return }
    try database.execute(sql: "UPDATE card SET isDefault = 0 WHERE place = ?", arguments: [place])
  }

  /// Sets a sealed column other than the profile; nil removes its content.
  func set(_ column: SealedColumn.CardColumn, _ octets: [UInt8]?, _ database: StoreConnection, _ vault: Vault)
    throws(WalletStoreError)
  {
    let sealed = octets.map { vault.seal($0.span, as: .card(place, column)) }
    try database.execute(
      sql: "UPDATE card SET \(column.rawValue) = ? WHERE place = ?", arguments: [sealed, place])
  }

  func profile(_ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) -> [UInt8] {
    let stored: Data? = try database.value(sql: "SELECT profile FROM card WHERE place = ?", arguments: [place])
    return try vault.open(stored ?? Data(), as: .card(place, .profile))
  }

  /// Stores the signing key of a card.
  static func set(_ key: CardSigningKey, ofCardAt place: Int64, _ database: StoreConnection, _ vault: Vault)
    throws(WalletStoreError)
  {
    let sealed = key.exposedOctets().withExposedOctets { vault.seal($0, as: .card(place, .signingKey)) }
    try database.execute(sql: "UPDATE card SET signingKey = ? WHERE place = ?", arguments: [sealed, place])
  }

  /// Returns the signing key of a card, for a payment; nil when it has none.
  func signingKey(_ database: StoreConnection, _ vault: Vault) throws(WalletStoreError) -> CardSigningKey? {
    let stored: Data? = try database.value(
      sql: "SELECT signingKey FROM card WHERE place = ? AND signingKey IS NOT NULL", arguments: [place])
    guard let stored else { return nil }
    var octets = try vault.open(stored, as: .card(place, .signingKey))
    guard let key = CardSigningKey(octets: Secret(wiping: &octets)) else {
      throw .corrupt("the signing key of a card is not a key")
    }
    return key
  }

  func customDirectory(_ vault: Vault) throws(WalletStoreError) -> [UInt8]? {
    try customDirectory.map { sealed throws(WalletStoreError) in
      try vault.open(sealed, as: .card(place, .customDirectory))
    }
  }

  /// What its issuer and earlier payments have changed in the card; nil for nothing.
  func cardState(of image: CardImage, _ vault: Vault) throws(WalletStoreError) -> CardState? {
    guard let cardState else { return nil }
    guard let state = CardState(json: try vault.open(cardState, as: .card(place, .cardState)), of: image) else {
      throw .corrupt("the state of a card does not match its profile")
    }
    return state
  }

  func walletData(_ vault: Vault) throws(WalletStoreError) -> [UInt8]? {
    try walletData.map { sealed throws(WalletStoreError) in try vault.open(sealed, as: .card(place, .walletData)) }
  }
}

internal import ContactlessPayment
internal import GRDB

/// The tables of a wallet's database, and how a database is told from a newer or a foreign one.
enum WalletSchema {
  /// `PRAGMA user_version`: raised with every change of the tables.
  static let version = 2
  /// `PRAGMA application_id`: "CTLS" in ASCII.
  static let application = 0x4354_4C53

  /// `place` and reservation names are never used again, not even after a wipe.
  static let tables = """
    CREATE TABLE card (
      place INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      profile BLOB NOT NULL,
      state TEXT NOT NULL,
      isDefault INTEGER NOT NULL CHECK (isDefault IN (0, 1)),
      customDirectory BLOB,
      walletData BLOB
    ) STRICT;
    CREATE UNIQUE INDEX onlyDefault ON card (isDefault) WHERE isDefault = 1;
    CREATE TABLE account (
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      masterKey BLOB NOT NULL CHECK (length(masterKey) = 16),
      nextCounter INTEGER NOT NULL CHECK (nextCounter BETWEEN 0 AND 65536),
      usesLeft INTEGER NOT NULL CHECK (usesLeft BETWEEN 0 AND 65535),
      PRIMARY KEY (card, application)
    ) STRICT;
    CREATE TABLE reservation (
      name INTEGER PRIMARY KEY AUTOINCREMENT,
      owner INTEGER NOT NULL,
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX reservationByCard ON reservation (card);
    CREATE TABLE reservedUse (
      reservation INTEGER NOT NULL REFERENCES reservation (name) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      counter INTEGER NOT NULL,
      PRIMARY KEY (reservation, application)
    ) STRICT;
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    """

  /// What brings the tables of a version to the next one, by the older version.
  static let upgrades = [
    1: """
    ALTER TABLE card ADD COLUMN customDirectory BLOB;
    ALTER TABLE card ADD COLUMN walletData BLOB;
    """
  ]

  /// Makes the tables, or brings those of an older version to this one. To be called in one transaction.
  static func bringUpToDate(_ database: Database) throws {
    switch try examine(database) {
    case .fresh: try database.execute(sql: tables)
    case .current: break
    case .older(let found):
      for step in found..<version { try database.execute(sql: upgrades[step] ?? "") }
      try database.execute(sql: "PRAGMA user_version = \(version)")
    }
  }

  /// What a database is to this version.
  enum Verdict: Equatable {
    case fresh
    case current
    case older(Int)
  }

  /// Looks without changing anything.
  ///
  /// - Throws: `WalletStoreError.newerStore`, `.corrupt`, or what the database throws.
  static func examine(_ database: Database) throws -> Verdict {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let objects = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
    if application == 0, version == 0, objects == 0 { return .fresh }
    guard application == Self.application, version > 0 else {
      throw WalletStoreError.corrupt("the database is not a wallet's")
    }
    guard version <= Self.version else {
      throw WalletStoreError.newerStore(version: version, supported: Self.version)
    }
    let findings = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
    guard findings == ["ok"] else { throw WalletStoreError.corrupt("its pages do not fit together") }
    return version == Self.version ? .current : .older(version)
  }
}

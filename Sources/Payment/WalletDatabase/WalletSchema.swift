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
      threshold INTEGER NOT NULL DEFAULT 2 CHECK (threshold BETWEEN 0 AND 65535),
      customDirectory BLOB,
      walletData BLOB
    ) STRICT;
    CREATE UNIQUE INDEX onlyDefault ON card (isDefault) WHERE isDefault = 1;
    \(accountTable)
    \(paymentKeyTable)
    CREATE TABLE reservation (
      name INTEGER PRIMARY KEY AUTOINCREMENT,
      owner INTEGER NOT NULL,
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX reservationByCard ON reservation (card);
    \(reservedUseTable)
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    """

  /// `floor` is the lowest counter that no payment has had; reserved ones are not counted in.
  private static let accountTable = """
    CREATE TABLE account (
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      floor INTEGER NOT NULL CHECK (floor BETWEEN 0 AND 65536),
      PRIMARY KEY (card, application)
    ) STRICT;
    """

  /// A limited-use key, or one single-use key; `expiry` in seconds since 1970.
  private static let paymentKeyTable = """
    CREATE TABLE paymentKey (
      place INTEGER PRIMARY KEY AUTOINCREMENT,
      card INTEGER NOT NULL,
      application INTEGER NOT NULL,
      kind TEXT NOT NULL,
      key BLOB NOT NULL CHECK (length(key) = 16),
      cvc3Key BLOB CHECK (length(cvc3Key) = 16),
      firstCounter INTEGER NOT NULL CHECK (firstCounter BETWEEN 0 AND 65535),
      usesLeft INTEGER NOT NULL CHECK (usesLeft BETWEEN 0 AND 65535),
      expiry INTEGER,
      FOREIGN KEY (card, application) REFERENCES account (card, application) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX paymentKeyByAccount ON paymentKey (card, application);
    """

  private static let reservedUseTable = """
    CREATE TABLE reservedUse (
      reservation INTEGER NOT NULL REFERENCES reservation (name) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      counter INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 65535),
      key INTEGER NOT NULL REFERENCES paymentKey (place) ON DELETE CASCADE,
      PRIMARY KEY (reservation, application)
    ) STRICT;
    CREATE INDEX reservedUseByKey ON reservedUse (key);
    """

  /// What brings the tables of a version to the next one, by the older version.
  ///
  /// From 1: an account had one key and no expiry. Its reservations are spent, as they were for whoever found them.
  private static let upgrades = [
    1: """
    ALTER TABLE card ADD COLUMN threshold INTEGER NOT NULL DEFAULT 2 CHECK (threshold BETWEEN 0 AND 65535);
    ALTER TABLE card ADD COLUMN customDirectory BLOB;
    ALTER TABLE card ADD COLUMN walletData BLOB;
    DELETE FROM reservation;
    DROP TABLE reservedUse;
    ALTER TABLE account RENAME TO formerAccount;
    \(accountTable)
    \(paymentKeyTable)
    \(reservedUseTable)
    INSERT INTO account (card, application, floor) SELECT card, application, nextCounter FROM formerAccount;
    INSERT INTO paymentKey (card, application, kind, key, firstCounter, usesLeft)
      SELECT card, application, 'limitedUse', masterKey, min(nextCounter, 65535), usesLeft FROM formerAccount
      ORDER BY card, application;
    DROP TABLE formerAccount;
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

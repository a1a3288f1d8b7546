internal import ContactlessPayment
internal import GRDB

/// The tables of a wallet's database, their upgrades, and the checks of a database before it is used.
enum WalletSchema {
  /// `PRAGMA user_version`: raised with every change of the tables.
  static let version = 3
  /// `PRAGMA application_id`: "CTLS" in ASCII.
  static let application = 0x4354_4C53

  /// Values of `place` and names of reservations are never reused, not even after a wipe.
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
    \(keyKindColumn)
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

  /// `floor` is the lowest counter that no payment has used; reservations do not change it.
  private static let accountTable = """
    CREATE TABLE account (
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      floor INTEGER NOT NULL CHECK (floor BETWEEN 0 AND 65536),
      PRIMARY KEY (card, application)
    ) STRICT;
    """

  /// `keyKind` is the kind of the keys that were added last.
  private static let keyKindColumn = """
    ALTER TABLE account ADD COLUMN keyKind TEXT NOT NULL DEFAULT 'limitedUse';
    """

  /// A limited-use key, or one single-use key; `expiry` is in seconds since 1970.
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

  /// The statements that upgrade the tables of a version to the next one, by the older version.
  ///
  /// From 1: an account had one key and no expiry. Its reservations are spent.
  /// From 2: the kind of used-up keys was not stored, so their kind becomes limited use; a retired card could be the
  /// default.
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
    """,
    2: """
    \(keyKindColumn)
    UPDATE account SET keyKind = coalesce((
      SELECT kind FROM paymentKey WHERE paymentKey.card = account.card AND paymentKey.application = account.application
      ORDER BY place DESC LIMIT 1), keyKind);
    UPDATE card SET isDefault = 0 WHERE state = 'retired';
    """,
  ]

  /// Creates the tables, or upgrades those of an older version. The caller runs it in one transaction.
  static func bringUpToDate(_ database: Database) throws {
    switch try examine(database) {
    case .fresh: try database.execute(sql: tables)
    case .current: break
    case .older(let found):
      for step in found..<version { try database.execute(sql: upgrades[step] ?? "") }
      try database.execute(sql: "PRAGMA user_version = \(version)")
    }
  }

  /// The result of an examination.
  enum Verdict: Equatable {
    case fresh
    case current
    case older(Int)
  }

  /// Examines a database without changing it.
  ///
  /// - Throws: `WalletStoreError.newerStore`, `.corrupt`, or what the database throws.
  static func examine(_ database: Database) throws -> Verdict {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let objects = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
    if application == 0, version == 0, objects == 0 { return .fresh }
    guard application == Self.application, version > 0 else {
      throw WalletStoreError.corrupt("the database does not belong to a wallet")
    }
    guard version <= Self.version else {
      throw WalletStoreError.newerStore(version: version, supported: Self.version)
    }
    let findings = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
    guard findings == ["ok"] else { throw WalletStoreError.corrupt("its pages are inconsistent") }
    return version == Self.version ? .current : .older(version)
  }
}

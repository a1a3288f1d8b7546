internal import ContactlessPayment
internal import GuardedSQLite

/// The tables of a wallet's database, and the checks of a database before it is used.
enum WalletSchema {
  /// `PRAGMA user_version`: raised with every change of the tables.
  static let version = 8
  /// The oldest version whose cards stay. Its seal did not cover the schema.
  static let oldestUpgraded = 4
  /// `PRAGMA application_id`: "CTLS" in ASCII.
  static let application = 0x4354_4C53

  /// Values of `place` and names of reservations are never reused, not even after a wipe. Columns that `Vault` seals hold
  /// 28 bytes more than their content.
  static let tables =
    statements(of: version).joined() + "PRAGMA application_id = \(application); PRAGMA user_version = \(version);"

  /// The statements that create the tables of a version from `oldestUpgraded` on.
  private static func statements(of version: Int) -> [String] {
    let counting = version > 4 ? countingColumns : ""
    return [bindingTable(counting), furtherTables] + (version > 5 ? [issuers] : []) + (version > 6 ? [signingKeys] : [])
      + (version > 7 ? [dates, reservedApprovals] : [])
  }

  private static func bindingTable(_ furtherColumns: String) -> String {
    """
    CREATE TABLE binding (
      place INTEGER PRIMARY KEY CHECK (place = 1),
      policy TEXT NOT NULL,
      keyIdentifier BLOB NOT NULL CHECK (length(keyIdentifier) BETWEEN 1 AND 64),
      enrolmentDigest BLOB NOT NULL CHECK (length(enrolmentDigest) <= 32),
      count INTEGER NOT NULL\(furtherColumns)
    ) STRICT;

    """
  }

  /// `counting` is a case of `WalletBinding.Counting`, and `deviceCount` the value of `movedByAnotherCopy`.
  private static let countingColumns = """
    ,
      counting TEXT NOT NULL,
      deviceCount INTEGER
    """

  /// What version 6 adds, also to the tables of an older version. `issuer` is the origin of the issuer's server, null for a
  /// card that no server issued, and empty for a card of an older version, until its issuer is known. `lostKey` has a row
  /// when the store was wiped because the device had lost its key.
  private static let issuers = """
    ALTER TABLE card ADD COLUMN issuer TEXT;
    CREATE TABLE lostKey (place INTEGER PRIMARY KEY CHECK (place = 1)) STRICT;

    """

  /// What version 7 adds: the sealed signing key of a card, null for a card that makes no signatures; the sealed state of a card,
  /// null for one that is as its issuer made it; and the sealed key of its issuer's scripts.
  private static let signingKeys = """
    ALTER TABLE card ADD COLUMN signingKey BLOB;
    ALTER TABLE card ADD COLUMN cardState BLOB;
    ALTER TABLE paymentKey ADD COLUMN scriptKey BLOB CHECK (length(scriptKey) = 44);

    """

  /// What version 8 adds for copies and dates. `latestDate` is the latest date that the store has seen, in seconds since 1970,
  /// and 0 for none. `formerKey` has the keys of former bindings that the device could not delete; like `lostKey` it is not
  /// sealed, since a store without a binding has no key.
  private static let dates = """
    ALTER TABLE binding ADD COLUMN latestDate INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE formerKey (identifier BLOB PRIMARY KEY CHECK (length(identifier) BETWEEN 1 AND 64)) STRICT;

    """

  /// What version 8 adds: the payments without the issuer that a reserved use counts, and `CardStatus.IssuerBlock` of a reservation.
  private static let reservedApprovals = """
    ALTER TABLE reservedUse ADD COLUMN offlineCount INTEGER NOT NULL DEFAULT 0 CHECK (offlineCount BETWEEN 0 AND 1);
    ALTER TABLE reservedUse ADD COLUMN offlineAmount INTEGER NOT NULL DEFAULT 0 CHECK (offlineAmount >= 0);
    ALTER TABLE reservation ADD COLUMN issuerBlock INTEGER CHECK (issuerBlock IN (1, 2));

    """

  private static let furtherTables = """
    CREATE TABLE seal (
      place INTEGER PRIMARY KEY CHECK (place = 1),
      octets BLOB NOT NULL CHECK (length(octets) = 28)
    ) STRICT;
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
    CREATE TABLE reservedUse (
      reservation INTEGER NOT NULL REFERENCES reservation (name) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      counter INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 65535),
      key INTEGER NOT NULL REFERENCES paymentKey (place) ON DELETE CASCADE,
      PRIMARY KEY (reservation, application)
    ) STRICT;
    CREATE INDEX reservedUseByKey ON reservedUse (key);

    """

  /// `floor` is the lowest counter that no payment has used; reservations do not change it. `keyKind` is the kind of the
  /// keys that were added last.
  private static let accountTable = """
    CREATE TABLE account (
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      floor INTEGER NOT NULL CHECK (floor BETWEEN 0 AND 65536),
      keyKind TEXT NOT NULL DEFAULT 'limitedUse',
      PRIMARY KEY (card, application)
    ) STRICT;
    """

  /// A limited-use key, or one single-use key; `expiry` is in seconds since 1970.
  private static let paymentKeyTable = """
    CREATE TABLE paymentKey (
      place INTEGER PRIMARY KEY AUTOINCREMENT,
      card INTEGER NOT NULL,
      application INTEGER NOT NULL,
      kind TEXT NOT NULL,
      key BLOB NOT NULL CHECK (length(key) = 44),
      cvc3Key BLOB CHECK (length(cvc3Key) = 44),
      firstCounter INTEGER NOT NULL CHECK (firstCounter BETWEEN 0 AND 65535),
      usesLeft INTEGER NOT NULL CHECK (usesLeft BETWEEN 0 AND 65535),
      expiry INTEGER,
      FOREIGN KEY (card, application) REFERENCES account (card, application) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX paymentKeyByAccount ON paymentKey (card, application);
    """

  /// Creates the tables. Those of an older version are replaced when they hold no card and no binding.
  ///
  /// Versions 1 to 3 stored keys in clear, and did not store the policy and the device's key to which the cards belong, so
  /// their cards cannot pay again. Later versions are upgraded when their seal has been checked. The caller runs it in
  /// one transaction.
  static func bringUpToDate(_ database: StoreConnection) throws(WalletStoreError) {
    switch try examine(database) {
    case .fresh: try database.execute(sql: tables)
    case .current: break
    case .older(oldestUpgraded...) where try BindingRow.read(database) != nil: break
    case .older: if try CardRow.count(database) == 0 { try replaceTables(database) }
    }
  }

  /// Upgrades the tables of a version from `oldestUpgraded` on. The caller has checked their seal, and writes the new one
  /// in the same transaction.
  static func upgrade(_ database: StoreConnection) throws(WalletStoreError) {
    let binding = try BindingRow.read(database)
    let former = try version(of: database)
    if former == 4 {
      try database.execute(sql: "DROP TABLE binding")
      try database.execute(sql: bindingTable(countingColumns))
      if let binding { try BindingRow.insert(binding, database) }
    }
    if former < 6 {
      try database.execute(sql: issuers)
      try database.execute(sql: "UPDATE card SET issuer = ''")
    }
    if former < 7 { try database.execute(sql: signingKeys) }
    if former < 8 {
      try database.execute(sql: dates)
      try database.execute(sql: reservedApprovals)
    }
    try database.execute(sql: "PRAGMA user_version = \(version)")
  }

  /// Removes the tables of any version with their content and creates empty ones. `secure_delete` overwrites the content.
  static func replaceTables(_ database: StoreConnection) throws(WalletStoreError) {
    for table in [
      "reservedUse", "reservation", "paymentKey", "account", "card", "binding", "seal", "lostKey", "formerKey",
    ] {
      try database.execute(sql: "DROP TABLE IF EXISTS \(table)")
    }
    try database.execute(sql: tables)
  }

  /// The version of the tables. Tables of an older version stay as they are while they hold cards.
  static func version(of database: StoreConnection) throws(WalletStoreError) -> Int {
    try database.value(sql: "PRAGMA user_version") ?? 0
  }

  /// Returns whether an older version has written the tables.
  static func isFormer(_ database: StoreConnection) throws(WalletStoreError) -> Bool {
    try version(of: database) < version
  }

  /// Returns the schema of a database of a version from `oldestUpgraded` on.
  ///
  /// - Throws: `WalletStoreError.corrupt` when it is not the schema that the version creates.
  static func schema(of database: StoreConnection) throws(WalletStoreError) -> DatabaseSchema {
    let version = try version(of: database)
    return try translated(database.path) {
      let present = try DatabaseSchema(of: database.database)
      guard let known = schemas[version], try present == known.get() else { throw foreignSchema }
      return present
    }
  }

  private static let schemas = Dictionary(
    uniqueKeysWithValues: (oldestUpgraded...version).map { version in
      (version, Result { try DatabaseSchema(creating: statements(of: version)) })
    })

  private static let foreignSchema = WalletStoreError.corrupt(
    """
    another program has changed its tables, indexes, triggers or views: use a copy from before that, or remove the wallet's \
    folder and add the cards again
    """)

  /// Versions 1 to 3 created neither triggers nor views. Of their tables only the number of cards is read.
  private static func checkOlderSchema(_ database: StoreConnection) throws(WalletStoreError) {
    let foreign: Int? = try database.value(
      sql: "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')")
    guard foreign == 0 else { throw foreignSchema }
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
  static func examine(_ database: StoreConnection) throws(WalletStoreError) -> Verdict {
    let version = try version(of: database)
    let application = try database.value(sql: "PRAGMA application_id") ?? 0
    let objects = try database.value(sql: "SELECT count(*) FROM sqlite_schema") ?? 0
    if application == 0, version == 0, objects == 0 { return .fresh }
    guard application == Self.application, version > 0 else {
      throw .corrupt("the database does not belong to a wallet")
    }
    guard version <= Self.version else {
      throw .newerStore(version: version, supported: Self.version)
    }
    // Before the check of the pages, which evaluates expressions of the schema.
    if version < oldestUpgraded { try checkOlderSchema(database) } else { _ = try schema(of: database) }
    // With the indexes: the store finds rows through them, and the seal reads the tables.
    let findings: [String] = try database.values(sql: "PRAGMA integrity_check(1)")
    guard findings == ["ok"] else { throw .corrupt("its pages are inconsistent") }
    return version == Self.version ? .current : .older(version)
  }
}

/// The tables of older versions of the store, as those versions created them.
enum OlderVersions {
  static let versions = [1, 3]

  static func tables(_ version: Int) -> String {
    (version == 1 ? version1 : version3) + "PRAGMA application_id = 0x43544C53; PRAGMA user_version = \(version);"
  }

  /// The statement that inserts the keys of the card in place 1; its arguments are the key and the application.
  static func keyInsertion(_ version: Int) -> String {
    version == 1
      ? "INSERT INTO account (masterKey, card, application, nextCounter, usesLeft) VALUES (?, 1, ?, 40, 7)"
      : """
      INSERT INTO paymentKey (key, card, application, kind, firstCounter, usesLeft)
      VALUES (?, 1, ?, 'limitedUse', 40, 7)
      """
  }

  private static let version1 = """
    CREATE TABLE card (
      place INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      profile BLOB NOT NULL,
      state TEXT NOT NULL,
      isDefault INTEGER NOT NULL CHECK (isDefault IN (0, 1))
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
    """

  private static let version3 = """
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
    CREATE TABLE account (
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      floor INTEGER NOT NULL CHECK (floor BETWEEN 0 AND 65536),
      PRIMARY KEY (card, application)
    ) STRICT;
    ALTER TABLE account ADD COLUMN keyKind TEXT NOT NULL DEFAULT 'limitedUse';
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
}

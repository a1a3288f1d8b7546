extension AccessSchema {
  /// The sessions of the operator's page, the payments that were not approved, and the indexes with which the page searches.
  ///
  /// `lower` changes the letters A to Z only, in both databases. An account number is text: its last four digits are found by
  /// its length, since the databases have no common function that counts from the end.
  static let operatorPage = """
    CREATE TABLE operatorSession (
      digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
      operatorToken BLOB NOT NULL CHECK (length(operatorToken) = 32),
      createdAt INTEGER NOT NULL,
      usedAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX operatorSessionByExpiry ON operatorSession (expiresAt);
    CREATE TABLE cardAttempt (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      card TEXT,
      lastDigits TEXT NOT NULL CHECK (length(lastDigits) <= 4),
      amount INTEGER NOT NULL CHECK (amount >= 0),
      currency INTEGER NOT NULL CHECK (currency BETWEEN 0 AND 999),
      responseCode TEXT NOT NULL,
      reason TEXT NOT NULL,
      address TEXT NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX cardAttemptByExpiry ON cardAttempt (expiresAt);
    CREATE INDEX userByName ON "user" (lower(name), name);
    CREATE INDEX walletByFullName ON wallet (lower(firstName || ' ' || lastName), id);
    CREATE INDEX walletByLastName ON wallet (lower(lastName), id);
    CREATE INDEX walletDeviceByName ON walletDevice (lower(name), deviceID);
    CREATE INDEX deviceByName ON device (lower(name), id);
    CREATE INDEX deviceByDeviceID ON device (deviceID, id);
    CREATE INDEX cardByAccount ON card (account, id);
    CREATE INDEX cardApplicationByLastDigits ON cardApplication
      (substr(accountNumber, length(accountNumber) - 3), card);
    CREATE INDEX auditByTime ON audit (at, number);
    CREATE INDEX auditByAccount ON audit (account, at, number);
    CREATE INDEX auditByEvent ON audit (event, at, number);
    """
}

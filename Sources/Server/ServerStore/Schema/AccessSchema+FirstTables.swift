extension AccessSchema {
  /// Version 1. Moments are in milliseconds since 1970.
  static let firstTables = accountTables + deviceTables + operationTables + auditTables

  /// Version 4: challenges are counted by the address of their client.
  static let challengeAddresses = """
    ALTER TABLE challenge ADD COLUMN address TEXT;
    CREATE INDEX challengeByAddress ON challenge (address, expiresAt);
    """

  private static let accountTables = """
    CREATE TABLE "user" (name TEXT NOT NULL PRIMARY KEY, createdAt INTEGER NOT NULL) STRICT;
    CREATE TABLE registrationToken (
      digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
      account TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL,
      usedAt INTEGER
    ) STRICT;
    CREATE INDEX registrationTokenByExpiry ON registrationToken (expiresAt);
    CREATE TABLE "authorization" (
      digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
      account TEXT NOT NULL,
      sessionID TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX authorizationByAccount ON "authorization" (account);
    CREATE INDEX authorizationByExpiry ON "authorization" (expiresAt);
    CREATE TABLE failure (
      subject TEXT NOT NULL PRIMARY KEY,
      count INTEGER NOT NULL CHECK (count >= 0),
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX failureByExpiry ON failure (expiresAt);

    """

  private static let deviceTables = """
    CREATE TABLE device (
      id TEXT NOT NULL PRIMARY KEY,
      externalID TEXT NOT NULL,
      deviceID TEXT NOT NULL,
      account TEXT NOT NULL,
      name TEXT NOT NULL,
      pushTarget TEXT,
      dispatcher TEXT,
      signatureKey TEXT NOT NULL,
      encryptionKey TEXT NOT NULL,
      state TEXT NOT NULL,
      clientVersion TEXT,
      createdAt INTEGER NOT NULL,
      UNIQUE (account, name)
    ) STRICT;
    CREATE TABLE usedRequest (
      device TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
      requestID TEXT NOT NULL,
      expiresAt INTEGER NOT NULL,
      PRIMARY KEY (device, requestID)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usedRequestByExpiry ON usedRequest (expiresAt);
    CREATE TABLE credential (
      aaid TEXT NOT NULL,
      keyID BLOB NOT NULL,
      externalID TEXT NOT NULL,
      account TEXT NOT NULL,
      deviceID TEXT,
      publicKey BLOB NOT NULL,
      publicKeyEncoding INTEGER NOT NULL,
      signatureAlgorithm INTEGER NOT NULL,
      authenticatorVersion INTEGER NOT NULL,
      signatureCounter INTEGER NOT NULL,
      registrationCounter INTEGER NOT NULL,
      createdAt INTEGER NOT NULL,
      usedAt INTEGER,
      PRIMARY KEY (aaid, keyID)
    ) STRICT;
    CREATE INDEX credentialByAccount ON credential (account);

    """

  private static let operationTables = """
    CREATE TABLE challenge (
      id TEXT NOT NULL PRIMARY KEY,
      operation TEXT NOT NULL,
      account TEXT,
      request TEXT NOT NULL,
      sessionID TEXT NOT NULL,
      registrationToken BLOB,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX challengeByExpiry ON challenge (expiresAt);
    CREATE TABLE outOfBandToken (
      digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
      sessionID TEXT NOT NULL,
      operation TEXT NOT NULL,
      account TEXT,
      device TEXT REFERENCES device (id) ON DELETE CASCADE,
      channel TEXT NOT NULL,
      context TEXT NOT NULL,
      payload TEXT,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL,
      redeemedAt INTEGER
    ) STRICT;
    CREATE INDEX outOfBandTokenByDevice ON outOfBandToken (device);
    CREATE INDEX outOfBandTokenByExpiry ON outOfBandToken (expiresAt);
    CREATE TABLE operation (
      sessionID TEXT NOT NULL PRIMARY KEY,
      operation TEXT NOT NULL,
      state TEXT NOT NULL,
      account TEXT,
      deviceExternalID TEXT,
      dispatcher TEXT,
      isRedeemed INTEGER NOT NULL CHECK (isRedeemed IN (0, 1)),
      uafStatus INTEGER,
      asmStatus INTEGER,
      clientError INTEGER,
      createdAt INTEGER NOT NULL,
      changedAt INTEGER NOT NULL,
      deadline INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX operationByExpiry ON operation (expiresAt);
    CREATE TABLE operationAuthenticator (
      sessionID TEXT NOT NULL REFERENCES operation (sessionID) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      aaid TEXT NOT NULL,
      keyID TEXT NOT NULL,
      externalID TEXT NOT NULL,
      PRIMARY KEY (sessionID, place)
    ) STRICT, WITHOUT ROWID;

    """

  private static let auditTables = """
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      event TEXT NOT NULL,
      result TEXT NOT NULL,
      account TEXT,
      device TEXT,
      sessionID TEXT,
      address TEXT
    ) STRICT;
    CREATE TABLE setting (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT;
    """
}

extension AccessSchema {
  /// Version 2: wallets. Moments are in milliseconds since 1970.
  static let walletTables = """
    CREATE TABLE wallet (
      id TEXT NOT NULL PRIMARY KEY,
      userName TEXT NOT NULL UNIQUE,
      firstName TEXT NOT NULL,
      lastName TEXT NOT NULL,
      phone TEXT NOT NULL,
      passwordHash TEXT NOT NULL,
      pinHash TEXT NOT NULL,
      information TEXT NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE walletAnswer (
      wallet TEXT NOT NULL REFERENCES wallet (id) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      questionID TEXT NOT NULL,
      hash TEXT NOT NULL,
      PRIMARY KEY (wallet, place),
      UNIQUE (wallet, questionID)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE walletDevice (
      deviceID TEXT NOT NULL PRIMARY KEY,
      wallet TEXT NOT NULL REFERENCES wallet (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      signatureKey TEXT NOT NULL,
      encryptionKey TEXT NOT NULL,
      pushTarget TEXT,
      state TEXT NOT NULL,
      pinFailures INTEGER NOT NULL CHECK (pinFailures >= 0),
      biometricToken BLOB CHECK (length(biometricToken) = 32),
      createdAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX walletDeviceByWallet ON walletDevice (wallet);
    CREATE TABLE walletSession (
      digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
      wallet TEXT NOT NULL REFERENCES wallet (id) ON DELETE CASCADE,
      deviceID TEXT NOT NULL,
      signatureKey TEXT NOT NULL,
      scope TEXT NOT NULL,
      login TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX walletSessionByWallet ON walletSession (wallet);
    CREATE INDEX walletSessionByDevice ON walletSession (deviceID);
    CREATE INDEX walletSessionByExpiry ON walletSession (expiresAt);
    CREATE TABLE walletToken (
      digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
      purpose TEXT NOT NULL,
      wallet TEXT REFERENCES wallet (id) ON DELETE CASCADE,
      userName TEXT NOT NULL,
      deviceID TEXT NOT NULL,
      signatureKey TEXT NOT NULL,
      questionID TEXT,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX walletTokenByWallet ON walletToken (wallet);
    CREATE INDEX walletTokenByUserName ON walletToken (userName);
    CREATE INDEX walletTokenByDevice ON walletToken (deviceID);
    CREATE INDEX walletTokenByExpiry ON walletToken (expiresAt);
    CREATE TABLE usedWalletRequest (
      device TEXT NOT NULL,
      requestID TEXT NOT NULL,
      expiresAt INTEGER NOT NULL,
      PRIMARY KEY (device, requestID)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usedWalletRequestByExpiry ON usedWalletRequest (expiresAt);
    """
}

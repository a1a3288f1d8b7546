import AccessDatabase
import GRDB

/// Fills a new database with users, each with a credential, a device and a wallet.
func populate(_ path: String, devices: Int) throws {
  // Creates the tables.
  _ = try SQLiteAccessStore(path: path)
  let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(devices))"
  let database = try DatabaseQueue(path: path)
  try database.write { database in
    try database.execute(
      sql: """
        \(numbers) INSERT INTO user (name, createdAt) SELECT 'holder ' || i, i FROM n;
        \(numbers) INSERT INTO credential (aaid, keyID, externalID, account, deviceID, publicKey, publicKeyEncoding,
            signatureAlgorithm, authenticatorVersion, signatureCounter, registrationCounter, createdAt)
          SELECT 'F1D0#1001', randomblob(32), 'credential ' || i, 'holder ' || i, 'device ' || i, randomblob(91), 256, 1,
            1, 0, 0, i FROM n;
        \(numbers) INSERT INTO device (id, externalID, deviceID, account, name, signatureKey, encryptionKey, state,
            createdAt)
          SELECT 'target ' || i, 'external ' || i, 'device ' || i, 'holder ' || i, 'Phone', '{}', '{}', 'active', i
          FROM n;
        \(numbers) INSERT INTO wallet (id, userName, firstName, lastName, phone, passwordHash, pinHash, information,
            createdAt)
          SELECT 'wallet ' || i, 'holder-' || i, 'Ada', 'Lovelace', '1', '-', '-', '{}', i FROM n;
        \(numbers) INSERT INTO walletDevice (deviceID, wallet, name, signatureKey, encryptionKey, state, pinFailures,
            createdAt)
          SELECT 'device ' || i, 'wallet ' || i, 'Phone', '{}', '{}', 'active', 0, i FROM n;
        """)
  }
  try database.close()
}

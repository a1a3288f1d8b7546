/// SQL that fills a database with users, each with a credential, a device and a wallet.
enum DevicePopulation {
  /// The devices of a SQLite file.
  static func sqlite(_ count: Int) -> String { devices(count, key: "randomblob(32)", "randomblob(91)") }

  /// The devices of a PostgreSQL database.
  static func postgreSQL(_ count: Int) -> String {
    devices(count, key: "sha256(i::text::bytea)", "decode(repeat('5A', 91), 'hex')")
  }

  private static func devices(_ count: Int, key: String, _ publicKey: String) -> String {
    guard count > 0 else { return "" }
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    return """
      \(numbers) INSERT INTO "user" (name, createdAt) SELECT 'holder ' || i, i FROM n;
      \(numbers) INSERT INTO credential (aaid, keyID, externalID, account, deviceID, publicKey, publicKeyEncoding,
          signatureAlgorithm, authenticatorVersion, signatureCounter, registrationCounter, createdAt)
        SELECT 'F1D0#1001', \(key), 'credential ' || i, 'holder ' || i, 'device ' || i, \(publicKey), 256, 1,
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
      """
  }

  /// What authentications in the last hour leave in a PostgreSQL database: an operation and an authorization of each device,
  /// and a challenge that was never answered.
  static func traces(of count: Int) -> String {
    let numbers =
      "(SELECT i, (extract(epoch FROM now()) * 1000)::bigint AS t FROM generate_series(1, \(count)) AS i) AS n"
    return """
      INSERT INTO operation (sessionID, operation, state, account, isRedeemed, address, createdAt, changedAt, deadline,
          expiresAt)
        SELECT md5('s' || i), 'Auth', 'succeeded', 'holder ' || i, 0, '198.51.100.1', t, t, t, t + 3600000 FROM \(numbers);
      INSERT INTO challenge (id, operation, account, request, sessionID, isOpen, address, createdAt, expiresAt)
        SELECT md5('c' || i), 'Auth', 'holder ' || i, repeat('x', 800), md5('s' || i), 0, '198.51.100.1', t, t + 3600000
        FROM \(numbers);
      INSERT INTO "authorization" (digest, account, sessionID, createdAt, expiresAt)
        SELECT sha256(('a' || i)::bytea), 'holder ' || i, md5('s' || i), t, t + 3600000 FROM \(numbers);
      """
  }
}

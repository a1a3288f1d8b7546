import AccessServer
import Foundation
import GRDB

/// Where the store of the measured server lies.
enum Database {
  /// A file in a new directory.
  case sqlite
  /// A PostgreSQL database, whose content is deleted.
  case postgreSQL(url: String)

  var name: String { if case .sqlite = self { "SQLite" } else { "PostgreSQL" } }

  /// Makes an empty store and fills it with users, each with a credential, a device and a wallet.
  func store(devices: Int, in directory: URL) throws -> any AccessStore {
    switch self {
    case .sqlite:
      let path = directory.appending(path: "access.sqlite").path
      let store = try SQLiteAccessStore(path: path)
      let database = try DatabaseQueue(path: path)
      try database.write { try $0.execute(sql: Self.population(devices, key: "randomblob(32)", "randomblob(91)")) }
      try database.close()
      return store
    case .postgreSQL(let url):
      try PSQL(url: url).run("DROP SCHEMA public CASCADE; CREATE SCHEMA public;")
      let store = try PostgreSQLAccessStore(url: url)
      let sql = Self.population(devices, key: "sha256(i::text::bytea)", "decode(repeat('5A', 91), 'hex')")
      try PSQL(url: url).run(sql + " ANALYZE;")
      return store
    }
  }

  private static func population(_ devices: Int, key: String, _ publicKey: String) -> String {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(devices))"
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
}

/// The command line client of PostgreSQL.
struct PSQL {
  struct Failure: Error {
    let status: Int32
  }

  let url: String

  /// Runs SQL statements from standard input. Its errors go to standard error.
  func run(_ sql: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/psql")
    process.arguments = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", url]
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(sql.utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
  }
}

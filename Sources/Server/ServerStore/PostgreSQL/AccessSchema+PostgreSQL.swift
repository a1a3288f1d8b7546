extension AccessSchema {
  /// Upgrades the tables of a database, one server at a time: those that start together wait for the first one. The tables
  /// lie in the first schema of `search_path`, with their version in the table `accessVersion`.
  ///
  /// - Throws: `AccessStoreError`, with code `newerVersion` or `damaged` when nothing was changed.
  func bringUpToDate(_ connection: PostgreSQLConnection, _ name: String) throws(AccessStoreError) {
    try run(
      """
      BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '120s'; \
      SELECT pg_advisory_xact_lock(\(Self.advisoryLock))
      """, connection, name)
    let present = try examine(connection, name)
    guard present < version else { return try run("ROLLBACK", connection, name) }
    if present == 0 { try run("CREATE TABLE accessVersion (version BIGINT NOT NULL)", connection, name) }
    for step in steps[present...] { try run(Self.postgreSQL(step), connection, name) }
    try run("DELETE FROM accessVersion; INSERT INTO accessVersion (version) VALUES (\(version))", connection, name)
    try run("COMMIT", connection, name)
  }

  /// Chosen at random. The lock is one of the database, and released at the end of the transaction.
  private static let advisoryLock = 0x5E0B_41C7_9D2A_6F13

  /// Reads the version of a database, 0 for one without tables.
  func examine(_ connection: PostgreSQLConnection, _ name: String) throws(AccessStoreError) -> Int {
    let schema = try connection.rows("SELECT current_schema()::text AS name", [])
    guard schema.first?["name"] != .null else {
      throw AccessStoreError(.unavailable, "\(name) has no schema for tables: create the one that search_path names")
    }
    let tables = try connection.rows(
      """
      SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = to_regnamespace(current_schema())
      """, [])
    guard !tables.isEmpty else { return 0 }
    guard tables.contains(where: { $0.values.contains(.text("accessversion")) }),
      case .integer(let found)? = try connection.rows("SELECT version FROM accessVersion", []).first?["version"],
      let present = Int(exactly: found), present > 0
    else {
      throw AccessStoreError(.damaged, "\(name) has tables that do not belong to a server: use another database")
    }
    guard present <= version else { throw .newer(name, version: present, supported: version) }
    return present
  }

  /// Translates a step to PostgreSQL's dialect. Text is compared by its bytes, as in SQLite. Tables without a key of their
  /// own get an identity column in place of SQLite's rowid.
  static func postgreSQL(_ step: String) -> String {
    let words = [
      ("INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
      (") STRICT, WITHOUT ROWID;", ");"),
      (") STRICT;", ", rowid BIGINT GENERATED ALWAYS AS IDENTITY);"),
      ("INTEGER", "BIGINT"), ("BLOB", "BYTEA"), ("TEXT", "TEXT COLLATE \"C\""),
    ]
    return words.reduce(step) { $0.replacing($1.0, with: $1.1) }
  }

  private func run(
    _ sql: String, _ connection: PostgreSQLConnection, _ name: String
  ) throws(AccessStoreError) {
    do throws(PostgreSQLFailure) {
      try connection.run(sql)
    } catch {
      throw error.described(name)
    }
  }
}

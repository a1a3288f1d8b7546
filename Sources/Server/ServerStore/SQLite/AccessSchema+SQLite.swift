internal import GRDB
internal import GuardedSQLite

extension AccessSchema {
  /// `PRAGMA application_id`: "CTLA" in ASCII.
  static let application = 0x4354_4C41

  /// Upgrades the tables in the caller's transaction. `PRAGMA user_version` is the version.
  func bringUpToDate(_ database: Database, _ path: String) throws {
    let present = try examine(database, path)
    guard present < version else { return }
    for step in steps[present...] { try database.execute(sql: step) }
    try database.execute(
      sql: "PRAGMA application_id = \(Self.application); PRAGMA user_version = \(version)")
  }

  /// Examines a database without changing it.
  ///
  /// - Returns: Its version, 0 for an empty one.
  /// - Throws: `AccessStoreError` with code `newerVersion` or `damaged`, or what the database throws.
  func examine(_ database: Database, _ path: String) throws -> Int {
    let present = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let objects = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
    if application == 0, present == 0, objects == 0 { return 0 }
    guard application == Self.application, present > 0 else {
      throw AccessStoreError(.damaged, "\(path) does not belong to a server: use another file")
    }
    guard present <= version else { throw AccessStoreError.newer(path, version: present, supported: version) }
    guard try DatabaseSchema(of: database) == DatabaseSchema(creating: Array(steps[..<present])) else {
      throw AccessStoreError(
        .damaged,
        "\(path): another program has changed its tables, indexes, triggers or views: use a copy from before that")
    }
    return present
  }
}

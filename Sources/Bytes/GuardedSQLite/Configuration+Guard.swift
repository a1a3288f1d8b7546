internal import CSQLite
package import GRDB

extension Configuration {
  /// Makes every connection ignore the triggers and views of its file, and refuse unsafe functions in its schema. Foreign
  /// keys with their actions keep working.
  ///
  /// The settings apply before the first statement that uses a table. An opening fails when SQLite refuses them.
  package mutating func guardConnections() {
    prepareDatabase { database in
      // The connection is open while its database is prepared, and only the call uses it.
      let code = unsafe csqlite_guard(database.sqliteConnection)
      guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
  }
}

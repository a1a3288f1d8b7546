/// A connection to a database in a transaction. A statement has a `?` for each argument.
protocol SQLConnection {
  /// The rows that a statement returns.
  func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [SQLRow]
  /// Runs a statement.
  ///
  /// - Returns: How many rows it changed, without those of other tables.
  func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int
  /// Runs a statement whose result is not needed. A connection to another machine sends it with the next statement whose
  /// result is needed, or with the commit, and its failure is thrown there.
  func post(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError)
  /// Adds a row with an `INSERT` statement without `ON CONFLICT`.
  ///
  /// - Returns: False when there is one with the same identity. A connection to another machine may return true without
  ///   knowing; when it was wrong, the transaction fails, and its body runs again.
  func add(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Bool
  /// Reads rows in one round trip, which later calls of `rows` return. A database on this machine ignores it.
  func prefetch(_ reads: [SQLRead]) throws(AccessStoreError)
}

/// A row that a statement returned.
struct SQLRow: Hashable {
  /// The names of the columns as the database has them; PostgreSQL has them in lower case.
  let columns: [String]
  let values: [SQLValue]

  /// The value of a column; nil without the column. Ignores case.
  subscript(column: String) -> SQLValue? {
    // A table has few columns, so a search is faster than a dictionary for each row.
    let index = columns.firstIndex(of: column) ?? columns.firstIndex(of: column.lowercased())
    return index.map { values[$0] }
  }
}

/// A statement that returns rows, and its arguments.
struct SQLRead: Hashable {
  let sql: String
  let arguments: [SQLValue]
}

extension SQLConnection {
  func post(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) { _ = try change(sql, arguments) }

  func add(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Bool {
    try change("\(sql) ON CONFLICT DO NOTHING", arguments) == 1
  }

  func prefetch(_ reads: [SQLRead]) throws(AccessStoreError) {}
}

/// Notes the statements that read, and returns no rows.
final class ReadRecorder: SQLConnection {
  private(set) var reads: [SQLRead] = []

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [SQLRow] {
    reads.append(SQLRead(sql: sql, arguments: arguments))
    return []
  }

  func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int { throw .changeInRead }
}

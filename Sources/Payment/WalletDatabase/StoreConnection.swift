internal import ContactlessPayment
internal import GRDB
internal import GuardedSQLite

/// A connection to the database of a wallet in a transaction. Its errors are `WalletStoreError`.
struct StoreConnection {
  let database: Database
  /// The path of the file.
  let path: String

  /// The number of the row that was inserted last.
  var lastInsertedRowID: Int64 { database.lastInsertedRowID }

  /// Runs statements.
  func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws(WalletStoreError) {
    try translated(path) { try database.execute(sql: sql, arguments: arguments) }
  }

  /// The rows that a query returns.
  func rows(sql: String, arguments: StatementArguments = StatementArguments()) throws(WalletStoreError) -> [Row] {
    try translated(path) { try Row.fetchAll(database, sql: sql, arguments: arguments) }
  }

  /// The values in the first column of the rows that a query returns.
  func values<Value: DatabaseValueConvertible>(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) throws(WalletStoreError) -> [Value] {
    try translated(path) { try Value.fetchAll(database, sql: sql, arguments: arguments) }
  }

  /// The value in the first column of the first row that a query returns; nil without a row, and for NULL.
  func value<Value: DatabaseValueConvertible>(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) throws(WalletStoreError) -> Value? {
    try translated(path) { try Value.fetchOne(database, sql: sql, arguments: arguments) }
  }

  /// All values of the rows of a query as bytes, each with its type and length.
  ///
  /// - Parameter name: What each row begins with.
  func octets(ofRows query: String, named name: String) throws(WalletStoreError) -> [UInt8] {
    try translated(path) { try database.octets(ofRows: query, named: name) }
  }
}

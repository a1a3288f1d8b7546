internal import AccessServer

/// A transaction on a connection. It is valid only while the body runs to which it is given.
struct DatabaseTransaction: AccessTransaction {
  typealias Argument = (any StoredValue)?

  let connection: any SQLConnection

  /// The rows of a table that meet a condition of SQL. None when an argument has the character U+0000: SQLite would read
  /// the text in front of it only, and PostgreSQL refuses it.
  func rows(_ table: RecordTable, _ condition: String, _ arguments: [Argument]) throws(AccessStoreError) -> [RecordRow]
  {
    guard !Self.hasNull(arguments) else { return [] }
    return try connection.rows(table.selection + condition, Self.stored(arguments)).map { RecordRow($0, of: table) }
  }

  /// Runs a statement.
  ///
  /// - Returns: How many rows it changed, without those of other tables.
  @discardableResult
  func change(_ sql: String, _ arguments: [Argument]) throws(AccessStoreError) -> Int {
    guard !Self.hasNull(arguments) else {
      throw AccessStoreError(.damaged, "a text with the character U+0000 cannot be stored")
    }
    return try connection.change(sql, Self.stored(arguments))
  }

  /// Removes the rows of a table that meet a condition of SQL.
  ///
  /// - Returns: How many they were.
  @discardableResult
  func remove(
    from table: RecordTable, _ condition: String, _ arguments: [Argument]
  ) throws(AccessStoreError) -> Int {
    try change(table.removal + condition, arguments)
  }

  /// The records that meet a condition of SQL.
  func records<Record: StoredRecord>(
    _ condition: String, _ arguments: [Argument]
  ) throws(AccessStoreError) -> [Record] {
    var records: [Record] = []
    for row in try rows(Record.table, condition, arguments) { records.append(try Record(row)) }
    return records
  }

  /// The record that meets a condition of SQL that at most one record meets.
  func record<Record: StoredRecord>(
    _ condition: String, _ arguments: [Argument]
  ) throws(AccessStoreError) -> Record? {
    let found: [Record] = try records(condition, arguments)
    return found.first
  }

  /// Saves a record.
  func keep(_ record: some StoredRecord) throws(AccessStoreError) {
    try change(type(of: record).table.saving, record.values)
  }

  private static func stored(_ arguments: [Argument]) -> [SQLValue] { arguments.map { $0?.stored ?? .null } }

  private static func hasNull(_ arguments: [Argument]) -> Bool {
    arguments.contains { ($0 as? String)?.utf8.contains(0) == true }
  }
}

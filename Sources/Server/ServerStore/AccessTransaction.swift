/// A transaction of the store. It is valid only while the body runs to which it is given.
///
/// A record that does not exist is nil. Lists are ordered by creation, oldest first. A text with the character U+0000 is never
/// found, and is refused when it is saved: SQLite would read the text in front of it only, and PostgreSQL refuses it.
public struct AccessTransaction {
  package typealias Argument = (any StoredValue)?

  let connection: any SQLConnection
  /// False in a body of `read`.
  var allowsChanges = true

  /// Adds a record, or replaces the one with the same identity.
  package func save(_ record: some StoredRecord) throws(AccessError) { try saveRow(record) }

  /// Saves the row of a record, without its lists.
  func saveRow(_ record: some StoredRecord) throws(AccessError) {
    let row = try RowWriter(record)
    try post(type(of: record).table.saving(row.columns), row.values)
  }

  /// Adds a record.
  ///
  /// - Returns: False when there is one with the same identity; nothing is changed then.
  package func addOnce(_ record: some StoredRecord) throws(AccessError) -> Bool {
    let row = try RowWriter(record)
    try checkChange(row.values)
    return try AccessError.typed { try connection.add(type(of: record).table.adding(row.columns), row.values) }
  }

  /// The record that has a value in a column that is unique.
  func record<Record: StoredRecord>(
    _ column: String, _ value: any StoredValue
  ) throws(AccessError) -> Record? { try first("WHERE \(column) = ?", [value]) }

  /// The first record that meets a condition of SQL.
  func first<Record: StoredRecord>(
    _ condition: String, _ arguments: [Argument]
  ) throws(AccessError) -> Record? {
    let found: [Record] = try records(condition, arguments)
    return found.first
  }

  /// The records that have a value in a column, the oldest first.
  func list<Record: StoredRecord>(
    _ column: String, _ value: any StoredValue
  ) throws(AccessError) -> [Record] { try records("WHERE \(column) = ? ORDER BY createdAt, rowid", [value]) }

  /// A page of records that meet a condition, ordered by a column.
  ///
  /// - Parameters:
  ///   - last: The page begins after this value; nil for the first page.
  ///   - limit: The most records of the page, at least 1.
  func page<Record: StoredRecord>(
    by column: String, after last: Argument, limit: Int, where condition: String = "1 = 1", _ arguments: [Argument] = []
  ) throws(AccessError) -> [Record] {
    precondition(limit >= 1, "a page has at least one record")
    let rest = "ORDER BY \(column) LIMIT ?"
    guard let last else { return try records("WHERE \(condition) \(rest)", arguments + [limit]) }
    return try records("WHERE \(condition) AND \(column) > ? \(rest)", arguments + [last, limit])
  }

  /// The records that meet a condition of SQL.
  func records<Record: StoredRecord>(
    _ condition: String, _ arguments: [Argument]
  ) throws(AccessError) -> [Record] {
    try rows("*", of: Record.table, condition, arguments).map { row throws(AccessError) in try row.record() }
  }

  /// Columns of the rows of a table that meet a condition of SQL.
  func rows(
    _ columns: String, of table: RecordTable, _ condition: String, _ arguments: [Argument]
  ) throws(AccessError) -> [RowReader] {
    let values = arguments.map { $0?.stored ?? .null }
    guard !values.contains(where: \.hasNullCharacter) else { return [] }
    let rows = try AccessError.typed {
      try connection.rows("SELECT \(columns) FROM \(table.quoted) \(condition)", values)
    }
    return rows.map { RowReader(table: table, values: $0) }
  }

  /// Removes the record with a key, if there is one. The identity of its table is one column.
  package func remove<Record: StoredRecord>(_ type: Record.Type, _ key: any StoredValue) throws(AccessError) {
    precondition(Record.table.identity.count == 1, "a record is removed by the only column of its identity")
    try remove(from: Record.table, Record.table.identity[0], key)
  }

  /// Removes the rows of a table that have a value in a column.
  package func remove(
    from table: RecordTable, _ column: String, _ value: any StoredValue
  ) throws(AccessError) { try post("DELETE FROM \(table.quoted) WHERE \(column) = ?", [value.stored]) }

  /// Removes the rows of a table that meet a condition of SQL.
  ///
  /// - Returns: How many they were.
  @discardableResult
  package func remove(
    from table: RecordTable, where condition: String, _ arguments: [any StoredValue]
  ) throws(AccessError) -> Int {
    let values = arguments.map(\.stored)
    try checkChange(values)
    return try AccessError.typed { try connection.change("DELETE FROM \(table.quoted) WHERE \(condition)", values) }
  }

  /// Sets a column of the rows of a table that meet a condition of SQL.
  package func update(
    _ table: RecordTable, _ column: String, to value: Argument, where condition: String, _ arguments: [any StoredValue]
  ) throws(AccessError) {
    try post(
      "UPDATE \(table.quoted) SET \(column) = ? WHERE \(condition)", [value?.stored ?? .null] + arguments.map(\.stored))
  }

  /// Runs a statement whose result is not needed.
  private func post(_ sql: String, _ values: [SQLValue]) throws(AccessError) {
    try checkChange(values)
    try AccessError.typed { try connection.post(sql, values) }
  }

  private func checkChange(_ values: [SQLValue]) throws(AccessError) {
    guard allowsChanges else { throw .store(.changeInRead) }
    guard !values.contains(where: \.hasNullCharacter) else {
      throw .damaged("a text with the character U+0000 cannot be stored")
    }
  }

  /// Reads several records in one round trip. A value does not follow a later write: use none after the transaction has changed
  /// its table.
  ///
  /// - Parameter reads: Asks for the records and returns them. It is called twice: first to learn what it asks for, when it gets
  ///   none of them, so no question depends on the answer to another one.
  package func readTogether<Value>(
    _ reads: (AccessTransaction) throws(AccessError) -> Value
  ) throws(AccessError) -> Value {
    let recorder = ReadRecorder()
    _ = try reads(AccessTransaction(connection: recorder, allowsChanges: false))
    try AccessError.typed { try connection.prefetch(recorder.reads) }
    return try reads(self)
  }
}

extension AccessTransaction {
  /// The elements of a list of a record.
  ///
  /// - Parameters:
  ///   - table: The table of the elements, identified by the record and the column `place`.
  func details<Detail: DetailRecord>(in table: RecordTable, of owner: String) throws(AccessError) -> [Detail] {
    let condition = "WHERE \(table.identity[0]) = ? ORDER BY place"
    return try rows("*", of: table, condition, [owner]).map { row throws(AccessError) in try row.record() }
  }

  /// Replaces the elements of a list of a record.
  package func save(_ details: [some DetailRecord], in table: RecordTable, of owner: String) throws(AccessError) {
    try remove(from: table, table.identity[0], owner)
    for (place, detail) in details.enumerated() {
      let row = try RowWriter(detail)
      try post(table.saving(table.identity + row.columns), [owner.stored, place.stored] + row.values)
    }
  }
}

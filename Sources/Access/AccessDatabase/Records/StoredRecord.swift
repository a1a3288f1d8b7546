internal import AccessServer

/// A record that is one row of a table. Its first columns are its identity.
protocol StoredRecord {
  static var table: RecordTable { get }
  init(_ row: RecordRow) throws(AccessStoreError)
  /// The values in the order of the table's columns.
  var values: [(any StoredValue)?] { get }
}

/// The table of a kind of record.
struct RecordTable: Sendable {
  let name: String
  /// The position of each column.
  let columns: [String: Int]

  /// Reads all columns; a condition follows.
  let selection: String
  /// Removes rows; a condition follows.
  let removal: String
  /// Adds a row, or replaces the other columns of the row with the same identity. The row keeps its number, and rows that
  /// refer to it stay.
  let saving: String
  /// Adds a row, or changes nothing when there is one with the same identity.
  let addingOnce: String

  /// - Parameter identity: The columns that identify a row; empty when every row is added.
  init(_ name: String, identity: [String], _ others: [String]) {
    let columns = identity + others
    let names = columns.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    // `user` and `authorization` are reserved words of PostgreSQL. It has unquoted names, as those of columns here, in lower
    // case. SQLite ignores case.
    let table = "\"\(name.lowercased())\""
    let adding = "INSERT INTO \(table) (\(names)) VALUES (\(places))"
    let changes = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    self.name = name
    self.columns = Dictionary(uniqueKeysWithValues: zip(columns, columns.indices))
    selection = "SELECT \(names) FROM \(table) "
    removal = "DELETE FROM \(table) "
    saving =
      identity.isEmpty ? adding : "\(adding) ON CONFLICT (\(identity.joined(separator: ", "))) DO UPDATE SET \(changes)"
    addingOnce = "\(adding) ON CONFLICT DO NOTHING"
  }
}

/// A row whose values are checked: the database may have been changed by another program.
struct RecordRow {
  private let values: [SQLValue]
  private let table: RecordTable

  init(_ values: [SQLValue], of table: RecordTable) {
    self.values = values
    self.table = table
  }

  private func damaged(_ column: String) -> AccessStoreError {
    AccessStoreError(.damaged, "a value of \(table.name).\(column) in the database has the wrong form")
  }

  func optional<Value: StoredValue>(_ column: String) throws(AccessStoreError) -> Value? {
    guard let place = table.columns[column] else { preconditionFailure("\(table.name) has no column \(column)") }
    guard values.indices.contains(place) else { throw damaged(column) }
    guard values[place] != .null else { return nil }
    guard let value = Value(values[place]) else { throw damaged(column) }
    return value
  }

  func value<Value: StoredValue>(_ column: String) throws(AccessStoreError) -> Value {
    guard let value: Value = try optional(column) else { throw damaged(column) }
    return value
  }

  func named<Value: RawRepresentable<String>>(_ column: String) throws(AccessStoreError) -> Value {
    guard let value = Value(rawValue: try self.value(column)) else { throw damaged(column) }
    return value
  }
}

internal import Synchronization

/// A record that is one row of a table. Its stored properties are the columns: `RowWriter` and `RowReader` use the names that
/// `Codable` gives them. The properties of a nested structure are columns of the same row.
package protocol StoredRecord: Codable, Sendable {
  /// The table of the rows.
  static var table: RecordTable { get }
}

/// An element of a list in a record. Each element is a row of another table, so that the list is no column.
package protocol DetailRecord: Codable, Sendable {}

/// The last statement that saved a row of a table. The columns of a kind of record never change, so it is built once.
private final class LastSaving: Sendable {
  private let last = Mutex<(columns: [String], sql: String)?>(nil)

  func text(of columns: [String], _ make: () -> String) -> String {
    last.withLock { last in
      if let last, last.columns == columns { return last.sql }
      let sql = make()
      last = (columns, sql)
      return sql
    }
  }
}

/// The table of a kind of record.
package struct RecordTable: Sendable {
  /// The name as it was created.
  package let name: String
  /// The columns that identify a row; empty when every row is added.
  package let identity: [String]
  /// The name in a statement. `user` and `authorization` are reserved words of PostgreSQL. It has unquoted names, as those
  /// of columns, in lower case. SQLite ignores case.
  package let quoted: String
  private let lastSaving = LastSaving()

  init(_ name: String, identity: [String]) {
    (self.name, self.identity) = (name, identity)
    quoted = "\"\(name.lowercased())\""
  }

  /// Adds a row with some columns.
  func adding(_ columns: [String]) -> String {
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(quoted) (\(columns.joined(separator: ", "))) VALUES (\(places))"
  }

  /// Adds a row, or replaces the other columns of the row with the same identity. The row keeps its number, and rows that
  /// refer to it stay.
  func saving(_ columns: [String]) -> String { lastSaving.text(of: columns) { newSaving(columns) } }

  private func newSaving(_ columns: [String]) -> String {
    guard !identity.isEmpty else { return adding(columns) }
    let changes = columns.filter { !identity.contains($0) }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return "\(adding(columns)) ON CONFLICT (\(identity.joined(separator: ", "))) DO UPDATE SET \(changes)"
  }
}

internal import AccessServer
internal import Foundation
internal import GRDB

/// A record that is one row of a table. Its first columns are its identity.
protocol StoredRecord {
  static var table: RecordTable { get }
  init(_ row: RecordRow) throws(AccessStoreError)
  /// The values in the order of the table's columns.
  var values: [(any DatabaseValueConvertible)?] { get }
}

/// The table of a kind of record.
struct RecordTable: Sendable {
  let name: String
  let columns: [String]

  /// Reads all columns; a condition follows.
  let selection: String
  /// Adds a row, or replaces the other columns of the row with the same identity. The row keeps its number, and rows that
  /// refer to it stay.
  let saving: String

  init(_ name: String, identity: [String], _ others: [String]) {
    let columns = identity + others
    let names = columns.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let changes = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    self.name = name
    self.columns = columns
    selection = "SELECT \(names) FROM \(name) "
    saving = """
      INSERT INTO \(name) (\(names)) VALUES (\(places)) \
      ON CONFLICT (\(identity.joined(separator: ", "))) DO UPDATE SET \(changes)
      """
  }
}

/// A row whose values are checked: the file may have been changed by another program.
struct RecordRow {
  private let row: Row
  private let table: String

  init(_ row: Row, of table: String) {
    self.row = row
    self.table = table
  }

  private func damaged(_ column: String) -> AccessStoreError {
    AccessStoreError(.damaged, "a value of \(table).\(column) in the database has the wrong form")
  }

  func optional<Value: DatabaseValueConvertible>(_ column: String) throws(AccessStoreError) -> Value? {
    let stored: DatabaseValue = row[column]
    guard !stored.isNull else { return nil }
    guard let value = Value.fromDatabaseValue(stored) else { throw damaged(column) }
    return value
  }

  func value<Value: DatabaseValueConvertible>(_ column: String) throws(AccessStoreError) -> Value {
    guard let value: Value = try optional(column) else { throw damaged(column) }
    return value
  }

  func octets(_ column: String) throws(AccessStoreError) -> [UInt8] {
    let data: Data = try value(column)
    return [UInt8](data)
  }

  func digest(_ column: String) throws(AccessStoreError) -> TokenDigest {
    guard let digest = TokenDigest(try octets(column)) else { throw damaged(column) }
    return digest
  }

  func optionalDigest(_ column: String) throws(AccessStoreError) -> TokenDigest? {
    guard let data: Data = try optional(column) else { return nil }
    guard let digest = TokenDigest([UInt8](data)) else { throw damaged(column) }
    return digest
  }

  func named<Value: RawRepresentable<String>>(_ column: String) throws(AccessStoreError) -> Value {
    guard let value = Value(rawValue: try self.value(column)) else { throw damaged(column) }
    return value
  }
}

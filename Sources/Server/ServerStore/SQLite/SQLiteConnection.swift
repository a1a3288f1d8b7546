internal import Foundation
internal import GRDB

/// A connection to an SQLite database in a transaction.
struct SQLiteConnection: SQLConnection {
  let database: Database
  let name: String

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [SQLRow] {
    try translated(name) {
      let statement = try database.cachedStatement(sql: sql)
      let columns = statement.columnNames
      var rows: [SQLRow] = []
      // A cursor does not copy the rows of SQLite before they are read.
      let found = try Row.fetchCursor(statement, arguments: Self.arguments(arguments))
      while let row = try found.next() {
        rows.append(SQLRow(columns: columns, values: try row.databaseValues.map(value)))
      }
      return rows
    }
  }

  func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int {
    try translated(name) {
      try database.cachedStatement(sql: sql).execute(arguments: Self.arguments(arguments))
      return database.changesCount
    }
  }

  private static func arguments(_ values: [SQLValue]) -> StatementArguments {
    // GRDB looks up a key path for each list of non-optional values.
    StatementArguments(
      values.map { value -> (any DatabaseValueConvertible)? in
        switch value {
        case .null: nil
        case .integer(let integer): integer.databaseValue
        case .text(let text): text.databaseValue
        case .octets(let octets): Data(octets).databaseValue
        }
      })
  }

  private func value(_ value: DatabaseValue) throws -> SQLValue {
    switch value.storage {
    case .null: .null
    case .int64(let integer): .integer(integer)
    case .string(let text): .text(text)
    case .blob(let data): .octets([UInt8](data))
    case .double: throw AccessStoreError(.damaged, "\(name): a value is a fraction, and no column has any")
    }
  }
}

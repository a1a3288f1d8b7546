internal import Foundation
internal import GRDB

/// A connection to an SQLite database in a transaction.
struct SQLiteConnection: SQLConnection {
  let database: Database
  let name: String

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [[String: SQLValue]] {
    try translated(name) {
      let statement = try database.cachedStatement(sql: sql)
      return try Row.fetchAll(statement, arguments: Self.arguments(arguments)).map { row in
        var values: [String: SQLValue] = [:]
        for (column, stored) in row { values[column.lowercased()] = try value(stored) }
        return values
      }
    }
  }

  func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int {
    try translated(name) {
      try database.cachedStatement(sql: sql).execute(arguments: Self.arguments(arguments))
      return database.changesCount
    }
  }

  private static func arguments(_ values: [SQLValue]) -> StatementArguments {
    StatementArguments(
      values.map { value -> DatabaseValue in
        switch value {
        case .null: .null
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

package import GRDB

/// The tables, indexes, triggers and views of a database as bytes, for a comparison with those that a program created.
///
/// Two schemas are equal when every object has the same type, name, table and statement. The order in which the objects
/// were created does not matter.
package struct DatabaseSchema: Equatable, Sendable {
  /// The rows of `sqlite_schema`, in a fixed order.
  package let octets: [UInt8]

  /// Reads the schema of a database. No trigger and no view runs.
  package init(of database: Database) throws {
    octets = try database.octets(
      ofRows: "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name", named: "schema")
  }

  /// Returns the schema that statements create in an empty database.
  package init(creating statements: [String]) throws {
    self = try DatabaseQueue().write { database in
      for statement in statements { try database.execute(sql: statement) }
      return try DatabaseSchema(of: database)
    }
  }
}

extension Database {
  /// Returns all values of the rows of a query, each with its type and length, so that different rows have different
  /// bytes.
  ///
  /// - Parameters:
  ///   - query: The query, with an order.
  ///   - name: What each row begins with.
  package func octets(ofRows query: String, named name: String) throws -> [UInt8] {
    var result: [UInt8] = []
    let rows = try Row.fetchCursor(self, sql: query)
    while let row = try rows.next() {
      result += Array("\(name) ".utf8)
      for value in row.databaseValues { Self.append(value, to: &result) }
    }
    return result
  }

  private static func append(_ value: DatabaseValue, to result: inout [UInt8]) {
    let (type, octets): (String, [UInt8]) =
      switch value.storage {
      case .null: ("null", [])
      case .int64(let number): ("integer", Array("\(number)".utf8))
      case .double(let number): ("real", Array("\(number)".utf8))
      case .string(let text): ("text", Array(text.utf8))
      case .blob(let data): ("blob", [UInt8](data))
      }
    result += Array("\(type) \(octets.count) ".utf8)
    result += octets
  }
}

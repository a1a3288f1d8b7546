import GRDB

/// The state of a database, without what is random: for each table the number of rows and the length of their content.
///
/// Two runs of the same steps have the same states. A state between those of two steps shows that a step was made in part.
struct DatabaseDigest {
  let text: String

  init(path: String) throws {
    text = try DatabaseQueue(path: path).read { database in
      let tables = try String.fetchAll(
        database,
        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      return try tables.map { try "\($0) \(Self.digest(of: $0, database))" }.joined(separator: ", ")
    }
  }

  private static func digest(of table: String, _ database: Database) throws -> String {
    let columns = try database.columns(in: table).map { column in
      // Moments have the same length for centuries, and tokens and keys always.
      "total(ifnull(length(CAST(\"\(column.name)\" AS BLOB)), 0))"
    }
    let row = try Row.fetchOne(
      database, sql: "SELECT count(*), \(columns.joined(separator: " + ")) FROM \"\(table)\"")
    guard let row else { return "" }
    let (count, length): (Int, Double) = (row[0], row[1])
    return "\(count):\(Int(length))"
  }
}

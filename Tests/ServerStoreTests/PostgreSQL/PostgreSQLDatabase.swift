@testable import ServerStore

/// An empty database on a PostgreSQL server, for one test.
struct PostgreSQLDatabase {
  let server: PostgreSQLServer
  let url: String
  private let name: String

  /// Makes the database.
  ///
  /// - Parameter server: The server; nil for the one that tests share.
  init(on server: PostgreSQLServer? = nil) throws {
    self.server = try server ?? PostgreSQLServer.shared.get()
    (name, url) = try self.server.newDatabase()
  }

  /// Runs SQL in the database. Returns the rows, a line each, with `|` between values.
  func sql(_ text: String) throws -> String { try server.sql(text, in: name) }
}

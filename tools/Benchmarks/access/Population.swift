import Foundation
import GRDB
import ServerStore

/// Where the store of the measured server lies.
enum Database {
  /// A file in a new directory.
  case sqlite
  /// A PostgreSQL database, whose content is deleted.
  case postgreSQL(url: String)

  var name: String { if case .sqlite = self { "SQLite" } else { "PostgreSQL" } }

  /// Makes an empty store and fills it with users, each with a credential, a device and a wallet.
  ///
  /// - Parameter directory: Where a SQLite file is made.
  func store(devices: Int, in directory: URL = .temporaryDirectory) throws -> any AccessStore {
    switch self {
    case .sqlite:
      let path = directory.appending(path: "access.sqlite").path
      let store = try SQLiteAccessStore(path: path)
      let database = try DatabaseQueue(path: path)
      try database.write { try $0.execute(sql: DevicePopulation.sqlite(devices)) }
      try database.close()
      return store
    case .postgreSQL(let url):
      try PSQL(url: url).run("DROP SCHEMA public CASCADE; CREATE SCHEMA public;")
      let store = try PostgreSQLAccessStore(url: url)
      try PSQL(url: url).run(DevicePopulation.postgreSQL(devices) + " VACUUM ANALYZE; CHECKPOINT;")
      return store
    }
  }

  /// Deletes the content of a PostgreSQL database, and fills it with devices, each with what one authentication leaves.
  static func fill(url: String, devices: Int) throws {
    _ = try Database.postgreSQL(url: url).store(devices: devices)
    guard devices > 0 else { return }
    try PSQL(url: url).run(DevicePopulation.traces(of: devices) + " VACUUM ANALYZE; CHECKPOINT;")
  }
}

/// The command line client of PostgreSQL.
struct PSQL {
  struct Failure: Error {
    let status: Int32
  }

  let url: String

  /// Runs SQL statements from standard input. Its errors go to standard error.
  func run(_ sql: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/psql")
    process.arguments = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", url]
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(sql.utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
  }
}

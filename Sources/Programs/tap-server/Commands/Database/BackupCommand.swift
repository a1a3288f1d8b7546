import AccessServer
import ArgumentParser
import JSON
import Octets
import ProgramSupport
import ServerStore

/// Copies the database of a server.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the SQLite database of a server, which may run, to a new file.",
    help: CommandHelp(
      """
      The copy is one state of the database, in one file with mode 0600; it is written under another name \
      first and never over a file that exists. It contains the master keys of the issuer. To restore it, put \
      it in the place of the database of a stopped server, remove the files that end with -wal and -shm, and \
      start the server. The first start on a copy ends all tokens, sessions, challenges and logins by \
      biometrics, and gives every card new keys, so that nothing that was used after the backup works again. \
      What users and the operator changed after the backup is lost. A copy that `cp` made is not recognised: \
      run `tap-server restored` on it. For PostgreSQL use pg_dump or pg_basebackup, and `tap-server restored` \
      after the restore.
      """,
      examples: [
        "tap-server backup server.backup --database sqlite:server.sqlite": "Copy the database of a server that may run."
      ],
      exits: [
        .done: "copied",
        .error: "a file cannot be read or written",
        .notRight: "the database is damaged or too new",
      ]))

  @Argument(help: "The new file.", completion: .file())
  var file: String
  @OptionGroup var options: DatabaseOptions

  func run() async throws {
    let report = options.report("backup")
    try await report.run { () throws(CommandFailure) in
      guard case .file(let path) = options.database else {
        throw CommandFailure(
          "notSupported",
          "backup copies sqlite:FILE only. For PostgreSQL use pg_dump or pg_basebackup, and `tap-server restored` after the restore",
          .usage)
      }
      do throws(AccessStoreError) {
        let count = try DatabaseBackup.copy(file: path, to: file, at: SystemWallClock().now)
        report.result(
          "backup", [("file", JSONValue(file)), ("bytes", JSONValue(count))], text: "\(file): \(count.bytes)")
      } catch { throw CommandFailure(error) }
    }
  }
}

/// Marks a restored database.
struct RestoredCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restored",
    abstract: "Mark a database that was restored by other means than from a file of `tap-server backup`.",
    help: CommandHelp(
      """
      The next start of a server on it ends all tokens, sessions, challenges and logins by biometrics, and \
      gives every card new keys. Run it while no server uses the database; one of an older version is \
      upgraded.
      """,
      examples: [
        "tap-server restored --database sqlite:server.sqlite": "Mark a database that was restored by cp."
      ],
      exits: [
        .done: "marked",
        .error: "the database cannot be opened or written",
        .notRight: "it is damaged or too new",
      ]))

  @OptionGroup var options: DatabaseOptions

  func run() async throws {
    try await options.run("restored", done: "marked the database as restored") { (_) throws(AccessStoreError) in
      try await KeyAdministration(store: try options.openExisting(upgrades: true)).markRestored()
    }
  }
}

/// The database of a server, for commands that need no running server.
struct DatabaseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("sqlite:FILE or postgresql://USER@HOST/DATABASE.", valueName: "database"))
  var database: DatabaseLocation
  @Option(help: "How results are printed: text or json.")
  var format = OutputFormat.text

  func validate() throws {
    try database.validate()
    if case .memory = database {
      throw ValidationError("--database memory: a database in memory ends with its server.")
    }
  }

  func report(_ operation: String) -> Report { Report(operation, format) }

  /// Runs a command on the database, and prints its last line.
  ///
  /// - Parameter done: What the command has done, for people; nil when its results say enough.
  /// - Throws: The exit code.
  func run(
    _ operation: String, done: String? = nil, _ body: (Report) async throws(AccessStoreError) -> Void
  ) async throws {
    let report = report(operation)
    try await report.run(done: done) { () throws(CommandFailure) in
      do throws(AccessStoreError) { try await body(report) } catch { throw CommandFailure(error) }
    }
  }

  /// Opens the database of a server. Changes nothing in any other one. Blocks.
  ///
  /// - Parameter upgrades: Whether tables of an older version are upgraded. Otherwise they are refused, since a server of that
  ///   version may use them.
  func openExisting(upgrades: Bool = false) throws(AccessStoreError) -> any AccessStore {
    guard let check = database.check() else { preconditionFailure("validate() refuses a database in memory") }
    if upgrades { try check.requireTables() } else { try check.requireCurrentTables() }
    return try database.open()
  }
}

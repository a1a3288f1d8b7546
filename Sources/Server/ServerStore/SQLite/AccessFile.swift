internal import DisplayText
internal import GRDB
internal import Glibc
internal import GuardedSQLite
internal import Octets
internal import POSIX

/// The database file of a server: creates, examines, opens and upgrades it.
///
/// The journal is a write-ahead log with `synchronous = FULL`: SQLite flushes the log at each commit, so a committed
/// transaction survives a power failure, and readers do not wait for the writer.
struct AccessFile {
  /// How long a connection waits for the transaction of another process, in seconds.
  static let busyTimeout = 5

  let path: String
  let schema: AccessSchema
  /// Is called before each statement.
  var onStatement: (@Sendable () -> Void)?

  /// Opens the file, or creates it.
  ///
  /// - Parameter maximumPages: The limit of the file's size in pages; nil for SQLite's own.
  func open(maximumPages: Int?) throws(AccessStoreError) -> DatabasePool {
    try create()
    return try translated(path) {
      // The pool changes the journal of the file that it opens, so the file is examined before.
      let examined = try DatabaseQueue(path: path, configuration: configuration)
      try examined.read { _ = try schema.examine($0, path) }
      try examined.close()
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { try Self.makeDurable($0, maximumPages) }
      // Another process may have upgraded the tables since they were examined.
      try pool.write { try schema.bringUpToDate($0, path) }
      return pool
    }
  }

  /// Checks the file, those next to it and its folder, without changing the database.
  ///
  /// - Returns: Its version; nil when the file does not exist.
  func examine(_ problems: inout [AccessStoreError]) -> Int? {
    do throws(AccessStoreError) { try checkModes() } catch { problems.append(error) }
    guard let mode = try? FileStatus(of: path).permissions else { return nil }
    if mode & 0o044 != 0 {
      problems.append(
        AccessStoreError(
          .unavailable,
          """
          \(path) has mode \(String(mode & 0o777, radix: 8)), so other users can read the master keys of the issuer: run \
          chmod 600 \(path.shellWord)
          """))
    }
    do throws(AccessStoreError) {
      return try translated(path) {
        let examined = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? examined.close() }
        return try examined.read { try schema.examine($0, path) }
      }
    } catch {
      problems.append(error)
      return nil
    }
  }

  var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(Double(Self.busyTimeout))
    configuration.label = "access"
    configuration.guardConnections()
    if let onStatement {
      configuration.prepareDatabase { database in database.trace { _ in onStatement() } }
    }
    return configuration
  }

  /// Creates an empty file that only its owner can read. SQLite gives its further files the same mode.
  private func create() throws(AccessStoreError) {
    // The system copies the path. Only a new file is opened here: closing a second descriptor of an open database would
    // release its locks.
    try checkModes()
    let descriptor = unsafe Glibc.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      close(descriptor)
      return
    }
    switch errno {
    case EEXIST: return
    case ENOSPC, EDQUOT: throw .full(path)
    case let number:
      throw AccessStoreError(.unavailable, "\(path) cannot be created: \(SystemError(number))")
    }
  }

  /// Checks that only the owner can write the file, the files that SQLite puts next to it, and the folder, in which a file could
  /// be replaced: another user could add an operator's authorization.
  private func checkModes() throws(AccessStoreError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    // In a folder with the sticky bit only the owner replaces a file.
    try check(folder, accepting: S_ISVTX, remedy: "go-w")
    for suffix in ["", "-wal", "-shm"] { try check(path + suffix, remedy: "600") }
  }

  private func check(_ path: String, accepting: mode_t = 0, remedy: String) throws(AccessStoreError) {
    // A missing file has no mode.
    guard let mode = try? FileStatus(of: path).permissions, mode & accepting == 0, mode & 0o022 != 0 else { return }
    let octal = String(mode & 0o777, radix: 8)
    throw AccessStoreError(
      .unavailable, "\(path) has mode \(octal), so other users can write it: run chmod \(remedy) \(path.shellWord)")
  }

  private static func makeDurable(_ database: Database, _ maximumPages: Int?) throws {
    try database.execute(sql: "PRAGMA synchronous = FULL")
    if let maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
    guard try Durability(database) == .wanted else {
      throw AccessStoreError(.unavailable, "SQLite rejected the settings for durable transactions")
    }
  }
}

/// The settings that make a commit survive a power failure, as read from SQLite.
struct Durability: Equatable {
  let journalMode: String
  /// 2 is FULL.
  let synchronous: Int
  let foreignKeys: Int

  static let wanted = Durability(journalMode: "wal", synchronous: 2, foreignKeys: 1)
}

extension Durability {
  init(_ database: Database) throws {
    journalMode = try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? ""
    synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1
    foreignKeys = try Int.fetchOne(database, sql: "PRAGMA foreign_keys") ?? -1
  }
}

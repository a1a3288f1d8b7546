internal import GRDB
internal import POSIX

/// The store of the server in one SQLite database.
///
/// A transaction that was committed survives a crash of the process and a power failure. Several processes may use one
/// file: their writing transactions run one after the other, and each waits up to 5 s for the others. Reading
/// transactions run at the same time as a writing one and read the state before it.
///
/// A text with the character U+0000 is never found, and is refused when it is saved.
public final class SQLiteAccessStore: AccessStore {
  /// The version of the tables that this program writes (`PRAGMA user_version`).
  public static var schemaVersion: Int { AccessSchema.current.version }

  private let database: any DatabaseWriter
  private let name: String
  /// The file that was opened; nil for a store in memory.
  private let file: FileStatus.Identity?

  /// Opens a database file, or creates it with mode 0600. A file of an older version is upgraded.
  ///
  /// Blocks for at most a few seconds; the caller runs it outside of the cooperative thread pool.
  ///
  /// - Parameter path: The file. Its directory must exist. SQLite puts two files next to it, whose names end with `-wal`
  ///   and `-shm`.
  /// - Throws: `AccessStoreError`, with code `newerVersion` for a file that a newer program has written. Nothing was
  ///   changed then.
  public convenience init(path: String) throws(AccessStoreError) {
    try self.init(path: path, schema: .current, maximumPages: nil)
  }

  /// Opens a database file with a function that is called before each statement that may change it, for a program that
  /// is killed there.
  package convenience init(path: String, onStatement: @escaping @Sendable () -> Void) throws(AccessStoreError) {
    try self.init(path: path, schema: .current, maximumPages: nil, onStatement: onStatement)
  }

  /// Opens a database with other tables, a limit of its size, or a function that is called before each statement that
  /// may change it, for tests.
  init(
    path: String, schema: AccessSchema = .current, maximumPages: Int? = nil, onStatement: (@Sendable () -> Void)? = nil
  ) throws(AccessStoreError) {
    name = path
    database = try AccessFile(path: path, schema: schema, onStatement: onStatement).open(maximumPages: maximumPages)
    file = try? FileStatus(of: path).identity
  }

  /// Creates an empty store in memory, which ends with this object.
  public init() throws(AccessStoreError) {
    let name = "the database in memory"
    self.name = name
    file = nil
    database = try translated(name) {
      let queue = try DatabaseQueue()
      try queue.write { try AccessSchema.current.bringUpToDate($0, name) }
      return queue
    }
  }

  /// Runs a body on a consistent state of the store.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessStoreError) -> Value
  ) async throws(AccessStoreError) -> Value {
    try checkFile()
    // GRDB's asynchronous functions stop a transaction when the task is cancelled. The request of a client that has closed
    // its connection must still be finished, so these functions with a handler are used.
    let result = await withCheckedContinuation { continuation in
      database.asyncRead { [name] opened in
        continuation.resume(
          returning: outcome(name) { try body(Self.transaction(try opened.get(), name)) })
      }
    }
    return try result.get()
  }

  /// Runs a body that changes the store, in one transaction.
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessStoreError) -> Value
  ) async throws(AccessStoreError) -> Value {
    try checkFile()
    let result = await withCheckedContinuation { continuation in
      database.asyncWrite { [name] in
        try body(Self.transaction($0, name))
      } completion: { [name] _, committed in
        continuation.resume(returning: outcome(name) { try committed.get() })
      }
    }
    return try result.get()
  }

  /// Checks that the path still names the file that was opened: SQLite would go on with a file that was removed, whose
  /// content is lost when the process ends.
  private func checkFile() throws(AccessStoreError) {
    guard let file, (try? FileStatus(of: name))?.identity != file else { return }
    throw AccessStoreError(
      .unavailable,
      "\(name) was removed or replaced while the server used it: put the file back, and start the server again")
  }

  private static func transaction(_ database: Database, _ name: String) -> AccessTransaction {
    AccessTransaction(connection: SQLiteConnection(database: database, name: name))
  }

  /// Reads the settings of the writing connection, for tests.
  func durability() throws(AccessStoreError) -> Durability {
    try translated(name) { try database.writeWithoutTransaction { try Durability($0) } }
  }
}

private func outcome<Value>(_ name: String, _ body: () throws -> Value) -> Result<Value, AccessStoreError> {
  do throws(AccessStoreError) {
    return .success(try translated(name, body))
  } catch {
    return .failure(error)
  }
}

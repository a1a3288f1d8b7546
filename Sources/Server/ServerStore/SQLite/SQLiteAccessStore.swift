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

  /// The most writes that share a transaction and its flush, unless another number is given.
  public static let sharedWrites = 128

  private let database: any DatabaseWriter
  private let writes: WriteQueue
  private let name: String
  private let file: OpenedFile

  /// Opens a database file, or creates it with mode 0600. A file of an older version is upgraded.
  ///
  /// Blocks for at most a few seconds; the caller runs it outside of the cooperative thread pool.
  ///
  /// - Parameters:
  ///   - path: The file. Its directory must exist. SQLite puts two files next to it, whose names end with `-wal` and `-shm`.
  ///   - sharedWrites: The most writes that share a transaction and its flush, at least 1. With 1 each write has its own.
  ///   - observation: Receives each commit.
  /// - Throws: `AccessStoreError`, with code `newerVersion` for a file that a newer program has written. Nothing was
  ///   changed then.
  public convenience init(
    path: String, sharedWrites: Int = SQLiteAccessStore.sharedWrites, observation: StoreObservation = StoreObservation()
  ) throws(AccessStoreError) {
    try self.init(path: path, schema: .current, sharedWrites: sharedWrites, observation: observation)
  }

  /// Opens a database file with a function that is called before each statement that may change it, for a program that
  /// is killed there.
  package convenience init(path: String, onStatement: @escaping @Sendable () -> Void) throws(AccessStoreError) {
    try self.init(path: path, schema: .current, maximumPages: nil, onStatement: onStatement)
  }

  /// Opens a database with other tables, a limit of its size, or a function that is called before each statement that
  /// may change it, for tests.
  init(
    path: String, schema: AccessSchema, maximumPages: Int? = nil, onStatement: (@Sendable () -> Void)? = nil,
    sharedWrites: Int = SQLiteAccessStore.sharedWrites, observation: StoreObservation = StoreObservation()
  ) throws(AccessStoreError) {
    name = path
    database = try AccessFile(path: path, schema: schema, onStatement: onStatement).open(maximumPages: maximumPages)
    let file = OpenedFile(path: path)
    self.file = file
    writes = WriteQueue(database, name, limit: sharedWrites, observation) { () throws(AccessStoreError) in
      try file.check()
    }
  }

  /// Creates an empty store in memory, which ends with this object.
  ///
  /// - Parameter observation: Receives each commit.
  public init(observation: StoreObservation = StoreObservation()) throws(AccessStoreError) {
    let name = "the database in memory"
    self.name = name
    file = OpenedFile(path: nil)
    database = try translated(name) {
      let queue = try DatabaseQueue()
      try queue.write { try AccessSchema.current.bringUpToDate($0, name) }
      return queue
    }
    writes = WriteQueue(database, name, limit: Self.sharedWrites, observation) {}
  }

  /// Copies the write-ahead log into the database file, so that the file alone is complete when no other program uses it,
  /// also a copy without its `-wal`. Does not wait for other programs.
  public func finish() {
    // Nothing is lost without it: SQLite reads the log at the next start.
    _ = try? database.writeWithoutTransaction { try $0.checkpoint(.passive) }
  }

  /// Runs a body on a consistent state of the store.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    // GRDB's asynchronous functions stop a transaction when the task is cancelled. The request of a client that has closed
    // its connection must still be finished, so these functions with a handler are used.
    let result = await withCheckedContinuation { continuation in
      database.asyncRead { [name, file] opened in
        continuation.resume(
          returning: Result { () throws(AccessError) in
            let database = try AccessError.typed {
              try file.check()
              return try translated(name) { try opened.get() }
            }
            return try body(Self.transaction(database, name, allowsChanges: false))
          })
      }
    }
    return try result.get()
  }

  /// Runs a body that changes the store. Bodies that wait at the same time run in one transaction, each in a savepoint. When
  /// that transaction fails, each runs again in a transaction of its own.
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    let result: Result<Value, AccessError> = await withCheckedContinuation { continuation in
      writes.add(
        WriteQueue.Write { [name] database in
          let result = Result { () throws(AccessError) in try body(Self.transaction(database, name)) }
          return WriteQueue.Outcome(keepsChanges: result.keepsChanges) { continuation.resume(returning: result) }
        } fail: { error in
          continuation.resume(returning: .failure(.store(error)))
        })
    }
    return try result.get()
  }

  /// How many writes wait for a transaction.
  var waitingWrites: Int { writes.waitingCount }

  private static func transaction(
    _ database: Database, _ name: String, allowsChanges: Bool = true
  ) -> AccessTransaction {
    AccessTransaction(connection: SQLiteConnection(database: database, name: name), allowsChanges: allowsChanges)
  }

  /// Reads the settings of the writing connection, for tests.
  func durability() throws(AccessStoreError) -> Durability {
    try translated(name) { try database.writeWithoutTransaction { try Durability($0) } }
  }
}

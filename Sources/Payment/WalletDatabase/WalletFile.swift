internal import ContactlessPayment
internal import GRDB
internal import Glibc
internal import GuardedSQLite
internal import POSIX

/// The database file of a wallet: creates, checks and opens it, and changes it in durable transactions.
///
/// The journal is a rollback journal in TRUNCATE mode with `synchronous = FULL`: SQLite then flushes the journal, the
/// database and the truncation, so a committed reservation survives a power failure. In DELETE mode SQLite does not
/// flush the directory, so the journal, and with it the old counter, could return. A write-ahead log keeps wiped keys
/// until its next checkpoint and needs memory shared between processes; its speed is not needed, because transactions
/// run before a tap and never during one.
struct WalletFile: Sendable {
  /// How long a process waits for another process's transaction, in seconds.
  static let busyTimeout = 5

  let path: String
  /// Whether this process may not write the file or its folder, so that every change fails.
  let isReadOnly: Bool
  private let queue: DatabaseQueue
  /// The file that was opened.
  private let identity: FileStatus.Identity

  /// Opens the file, or creates it. A file that exists and that this process may not change is opened for reading.
  ///
  /// - Parameters:
  ///   - directory: The folder; created when it is missing.
  ///   - name: The name of the file.
  ///   - maximumPages: The limit of the file's size in pages; nil for SQLite's own.
  /// - Throws: `WalletStoreError.exposed`, `.notWritable`, `.newerStore`, `.corrupt`, `.full`, `.busy` or `.storage`.
  init(directory: String, name: String, maximumPages: Int?) throws(WalletStoreError) {
    path = directory + "/" + name
    try Self.check(directory)
    isReadOnly = Self.isReadOnly(directory, path)
    if !isReadOnly { try Self.prepare(directory, path) }
    let (path, isReadOnly) = (path, isReadOnly)
    let (queue, verdict) = try translated(path) {
      var configuration = Configuration()
      configuration.busyMode = .timeout(Double(Self.busyTimeout))
      configuration.label = "wallet"
      configuration.readonly = isReadOnly
      configuration.guardConnections()
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      let verdict = try queue.read { try WalletSchema.examine(StoreConnection(database: $0, path: path)) }
      if !isReadOnly {
        try queue.writeWithoutTransaction {
          try Self.makeDurable(StoreConnection(database: $0, path: path), maximumPages)
        }
      }
      return (queue, verdict)
    }
    self.queue = queue
    identity = try Self.status(of: path).identity
    // Another process may have upgraded the tables since they were examined.
    if verdict != .current, !isReadOnly { try change { try WalletSchema.bringUpToDate($0) } }
  }

  /// Returns numbers of which one differs after each change of the file.
  ///
  /// - Throws: `WalletStoreError.removed` when the open file has no longer its place in the folder, or `.notWritable` when the
  ///   folder cannot be searched.
  func mark() throws(WalletStoreError) -> [Int64] {
    let status = try Self.status(of: path)
    guard status.identity == identity else { throw .removed(path) }
    return status.mark
  }

  private static func status(of path: String) throws(WalletStoreError) -> FileStatus {
    do throws(SystemError) {
      return try FileStatus(of: path)
    } catch {
      throw error.number == ENOENT || error.number == ENOTDIR ? .removed(path) : .notWritable(path)
    }
  }

  /// Checks that no other user can replace files of a folder that exists.
  private static func check(_ directory: String) throws(WalletStoreError) {
    guard let status = try? FileStatus(of: directory), status.kind == .directory, status.isOpenToOthers else { return }
    throw .exposed(folder: directory, mode: Int(status.permissions & 0o777))
  }

  /// Whether the file exists and cannot be changed: a change also creates files in the folder.
  private static func isReadOnly(_ directory: String, _ path: String) -> Bool {
    // The system copies the paths.
    guard unsafe access(path, F_OK) == 0 else { return false }
    return unsafe access(path, W_OK) != 0 || access(directory, W_OK) != 0
  }

  /// Creates folder and file, accessible to their owner only. Existing ones keep their modes.
  private static func prepare(_ directory: String, _ path: String) throws(WalletStoreError) {
    // The system copies the path; nothing keeps the pointer.
    guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .notWritable(directory) }
    // Only a new file: closing a second descriptor of an open database would release its locks.
    let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else {
      switch errno {
      case EEXIST: break
      case ENOSPC, EDQUOT: throw .full(path)
      default: throw .notWritable(path)
      }
    }
  }

  private static func makeDurable(_ database: StoreConnection, _ maximumPages: Int?) throws(WalletStoreError) {
    try database.execute(
      sql: "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
    if let maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
    let durability = try Durability(database)
    guard durability == .wanted else {
      throw .storage("SQLite rejected the settings for durable transactions")
    }
  }

  /// Reads in one snapshot.
  func read<Result>(_ body: (StoreConnection) throws -> Result) throws(WalletStoreError) -> Result {
    try translated(path) { try queue.read { try body(StoreConnection(database: $0, path: path)) } }
  }

  /// Runs changes in one immediate transaction: all of them are flushed to the disk, or none is made.
  func change<Result>(_ body: (StoreConnection) throws -> Result) throws(WalletStoreError) -> Result {
    try translated(path) {
      try queue.writeWithoutTransaction { database in
        var result: Result?
        try database.inTransaction(.immediate) {
          result = try body(StoreConnection(database: database, path: path))
          return .commit
        }
        guard let result else { preconditionFailure("a committed transaction has a result") }
        return result
      }
    }
  }

  /// Reads the settings of this connection.
  func durability() throws(WalletStoreError) -> Durability {
    try translated(path) {
      try queue.writeWithoutTransaction { try Durability(StoreConnection(database: $0, path: path)) }
    }
  }
}

extension WalletFile {
  /// The settings that make a commit survive a power failure, as read from SQLite.
  struct Durability: Equatable {
    let journalMode: String
    /// 2 is FULL.
    let synchronous: Int
    /// 1 overwrites deleted content with zeros.
    let secureDelete: Int

    static let wanted = Durability(journalMode: "truncate", synchronous: 2, secureDelete: 1)
  }
}

extension WalletFile.Durability {
  init(_ database: StoreConnection) throws(WalletStoreError) {
    journalMode = try database.value(sql: "PRAGMA journal_mode") ?? ""
    synchronous = try database.value(sql: "PRAGMA synchronous") ?? -1
    secureDelete = try database.value(sql: "PRAGMA secure_delete") ?? -1
  }
}

internal import GRDB
internal import Glibc
internal import POSIX

extension AccessFile {
  /// Copies the database to a new file while servers use it.
  ///
  /// The copy is one state of the database. It is marked as a copy, and needs no file next to it. It has its name when it is on
  /// the disk; after an error nothing is left of it.
  ///
  /// - Parameters:
  ///   - target: The new file, with mode 0600. A file that exists is never changed.
  ///   - now: The moment for the mark, in milliseconds since 1970.
  /// - Returns: The size of the copy in bytes.
  func backUp(to target: String, at now: Int64) throws(AccessStoreError) -> Int {
    var problems: [AccessStoreError] = []
    let version = examine(&problems)
    guard let version, version > 0 else {
      throw problems.first ?? AccessStoreError(.unavailable, "\(path) does not exist or has no tables")
    }
    let copy = WholeFile(target)
    guard !copy.exists else { throw Self.exists(target) }
    do {
      return try copy.create { draft in
        defer { Self.removeFiles(besides: draft) }
        return try translated(target) {
          try copyDatabase(to: draft)
          try mark(draft, at: now)
          return try FileStatus(of: draft).size
        }
      }
    } catch let error as AccessStoreError {
      // Damage is copied with the pages, and found in the copy.
      guard error.code == .damaged else { throw error }
      throw AccessStoreError(.damaged, "\(path) is damaged, so it was not copied: use an earlier copy")
    } catch let error as SystemError {
      switch error.number {
      case EEXIST: throw Self.exists(target)
      case ENOSPC, EDQUOT: throw .full(target)
      default: throw AccessStoreError(.unavailable, "\(target) cannot be written: \(error)")
      }
    } catch {
      throw AccessStoreError(.unavailable, "\(target): \(type(of: error))")
    }
  }

  /// Removes what SQLite puts next to a database while it writes.
  private static func removeFiles(besides path: String) {
    for suffix in ["-journal", "-wal", "-shm"] { try? WholeFile(path + suffix).remove() }
  }

  private static func exists(_ target: String) -> AccessStoreError {
    AccessStoreError(.unavailable, "\(target) exists: name a new file")
  }

  /// Copies all pages in one step, which reads one state. Writers go on meanwhile.
  private func copyDatabase(to draft: String) throws {
    let source = try translated(path) { try DatabaseQueue(path: path, configuration: configuration) }
    let destination = try DatabaseQueue(path: draft)
    try source.backup(to: destination)
    try source.close()
    // The header that was copied asks for a write-ahead log, which would be a second file.
    try destination.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    try destination.close()
  }

  private func mark(_ draft: String, at now: Int64) throws {
    let queue = try DatabaseQueue(path: draft, configuration: configuration)
    try queue.write { database in
      let connection = SQLiteConnection(database: database, name: draft)
      do throws(AccessError) {
        try AccessTransaction(connection: connection).markCopy(at: now)
      } catch {
        throw error.storeFailure
      }
    }
    try queue.close()
  }
}

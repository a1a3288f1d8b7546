internal import POSIX

/// The file of a database that is in use.
struct OpenedFile: Sendable {
  private let path: String
  /// Nil for a database in memory.
  private let identity: FileStatus.Identity?

  /// Remembers the file at a path; nil for a database in memory.
  init(path: String?) {
    self.path = path ?? ""
    identity = path.flatMap { try? FileStatus(of: $0).identity }
  }

  /// Checks that the path still names the file that was opened: SQLite would go on with a file that was removed, whose
  /// content is lost when the process ends.
  ///
  /// - Throws: `AccessStoreError` with code `unavailable`.
  func check() throws(AccessStoreError) {
    guard let identity, (try? FileStatus(of: path))?.identity != identity else { return }
    throw AccessStoreError(
      .unavailable,
      "\(path) was removed or replaced while the server used it: put the file back, and start the server again")
  }
}

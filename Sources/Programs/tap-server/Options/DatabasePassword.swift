import AccessServer
import DisplayText
import Foundation
import Octets
import POSIX
import ProgramSupport
import ServerShell
import ServerStore

/// The file with the password of a PostgreSQL database. libpq reads it for each new connection; the server reads it at its
/// start and at a reload, to report whether it has changed and whether libpq can use it.
struct DatabasePassword: Sendable {
  /// The largest file that is read, in bytes.
  private static let maximumCount = 65_536

  let path: String

  /// Names the file of a database; nil for one that has none, or whose file does not exist.
  init?(_ database: DatabaseLocation) {
    guard case .postgreSQL(let url) = database,
      let path = PasswordFile.path(postgreSQL: url, ProcessInfo.processInfo.environment), WholeFile(path).exists
    else { return nil }
    self.path = path
  }

  /// Reads the file.
  ///
  /// - Throws: A failure when libpq would ignore the file.
  func read() throws(CommandFailure) -> ServedFile {
    let content: WholeFile.Content
    do throws(SystemError) {
      content = try WholeFile(path).read(atMost: Self.maximumCount)
    } catch {
      throw CommandFailure(
        "inaccessible",
        "database password: \(path) cannot be read: \(error). A restart of the server reads a file in its place",
        .error)
    }
    guard !content.isExposed else {
      let mode = String(content.permissions & 0o777, radix: 8)
      throw CommandFailure(
        "exposed",
        "database password: \(path) has mode \(mode), so PostgreSQL's library ignores it: run chmod 600 "
          + path.shellWord, .error)
    }
    return .databasePassword(content.bytes)
  }
}

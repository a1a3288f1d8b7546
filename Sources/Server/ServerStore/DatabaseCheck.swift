internal import Glibc
internal import POSIX

/// All problems of a database that a server would open. Changes nothing in it.
public struct DatabaseCheck: Sendable {
  /// The fewest free bytes of the disk: 64 MiB.
  public static let leastFreeBytes: UInt64 = 64 << 20

  /// The problems, empty when a server can open the database.
  public private(set) var problems: [AccessStoreError] = []
  /// Whether there is a database.
  public private(set) var exists = false
  /// What the database is, for people; nil when it cannot be opened.
  public private(set) var finding: String?
  private var name = "the database"
  /// The version of its tables, 0 without tables; nil when it does not exist or cannot be opened.
  private var version: Int?

  /// Checks an SQLite database: the modes of its files and its folder, the version of its tables, and the space on its disk.
  /// A file that does not exist is no problem if it can be created. Blocks.
  public init(file path: String) { self.init(file: path, freeBytes: Self.freeBytes) }

  init(file path: String, freeBytes: (_ folder: String) -> UInt64?) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    name = path
    version = AccessFile(path: path, schema: .current).examine(&problems)
    exists = version != nil
    if let version { finding = Self.text(version: version) }
    // The system reads the paths.
    let hasFile = unsafe access(path, F_OK) == 0
    if unsafe access(folder, W_OK) != 0 {
      add(.unavailable, "\(folder) cannot be written: \(SystemError())")
    } else if !hasFile {
      finding = "does not exist: the first start creates it"
    } else if unsafe access(path, W_OK) != 0 {
      add(.unavailable, "\(path) cannot be written: \(SystemError())")
    }
    guard let free = freeBytes(folder) else { return }
    if free < Self.leastFreeBytes {
      add(
        .full, "\(path): its disk has \(free >> 20) MiB free: make room for at least \(Self.leastFreeBytes >> 20) MiB")
    }
    finding = finding.map { "\($0), \(free >> 20) MiB free" }
  }

  /// Checks a PostgreSQL database: whether it accepts a connection, and the version of its tables. Blocks for at most a minute.
  public init(postgreSQL url: String) {
    do throws(AccessStoreError) {
      let address = try PostgreSQLAddress(url)
      name = address.name
      let present = try AccessSchema.current.examine(try PostgreSQLConnection(address), name)
      version = present
      exists = present > 0
      finding = present == 0 ? "has no tables: the first start makes them" : Self.text(version: present)
    } catch { problems.append(error) }
  }

  /// Checks that the database has tables of a server.
  ///
  /// - Throws: The first problem, or an `AccessStoreError` with code `unavailable` for a database that does not exist or has no
  ///   tables.
  public func requireTables() throws(AccessStoreError) {
    guard let version else {
      throw problems.first ?? AccessStoreError(.unavailable, "\(name) does not exist")
    }
    guard version > 0 else {
      throw AccessStoreError(.unavailable, "\(name) has no tables: name the database of a server")
    }
  }

  /// Checks that the database has the tables of this version, so that opening it changes nothing in it.
  ///
  /// - Throws: What `requireTables` throws, or an `AccessStoreError` with code `unavailable` for tables of an older version.
  public func requireCurrentTables() throws(AccessStoreError) {
    try requireTables()
    let current = AccessSchema.current.version
    guard let version, version < current else { return }
    throw AccessStoreError(
      .unavailable,
      "\(name) has version \(version) and not \(current): start a server of this program, which upgrades it, and try again"
    )
  }

  private static func text(version: Int) -> String {
    let current = AccessSchema.current.version
    return version < current ? "version \(version), which the next start upgrades to \(current)" : "version \(version)"
  }

  private mutating func add(_ code: AccessStoreError.Code, _ reason: String) {
    problems.append(AccessStoreError(code, reason))
  }

  private static func freeBytes(_ folder: String) -> UInt64? {
    var status = statvfs()
    // The system reads the path and fills one structure of this frame.
    guard unsafe statvfs(folder, &status) == 0 else { return nil }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }
}

internal import CPostgreSQL

/// The URL of a PostgreSQL database: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE`, as libpq reads it.
struct PostgreSQLAddress: Sendable {
  /// The whole URL. It may contain a password.
  let exposedText: String
  /// The URL without user, password and parameters, for messages.
  let name: String
  private let password: String?

  /// Reads a URL.
  ///
  /// - Throws: `AccessStoreError` with code `unavailable`. Its reason contains no part of the URL.
  init(_ text: String) throws(AccessStoreError) {
    guard ["postgresql://", "postgres://"].contains(where: text.hasPrefix), !text.utf8.contains(0),
      let values = Self.values(text)
    else { throw Self.malformed }
    let (host, port, database) = (
      values["host"] ?? values["hostaddr"] ?? "", values["port"] ?? "", values["dbname"] ?? ""
    )
    // A password with an unescaped @ or / is read as part of these.
    guard !host.contains("@"), !database.contains("@"), port.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "," })
    else { throw Self.malformed }
    exposedText = text
    name = "postgresql://\(host)\(port.isEmpty ? "" : ":" + port)/\(database)"
    password = values["password"]
  }

  private static let malformed = AccessStoreError(
    .unavailable,
    """
    the database is not a valid postgresql://USER:PASSWORD@HOST:PORT/DATABASE: write @ / : ? # % of a user or password as \
    %40 %2F %3A %3F %23 %25
    """)

  /// What a message of libpq says about the last server that was tried, without its hints and without the password. A refused
  /// password is followed by a line about the file that it comes from.
  func message(_ text: String) -> String {
    let isOfServer = { (line: Substring) in !line.hasPrefix("\t") && !line.hasPrefix("password retrieved from file") }
    let last = text.split(separator: "\n").last(where: isOfServer).map(String.init) ?? "no connection"
    guard let password, !password.isEmpty, last.contains(password) else { return last }
    return "no connection"
  }

  /// The values that a URL names; nil when libpq cannot read it. The message of libpq repeats parts of the URL, so it is
  /// dropped.
  static func values(_ text: String) -> [String: String]? {
    guard let options = unsafe PQconninfoParse(text, nil) else { return nil }
    defer { unsafe PQconninfoFree(options) }
    var values: [String: String] = [:]
    var next = unsafe options
    while let keyword = unsafe next.pointee.keyword {
      if let value = unsafe next.pointee.val { unsafe values[String(cString: keyword)] = String(cString: value) }
      unsafe next += 1
    }
    return values
  }
}

internal import CPostgreSQL
internal import Glibc

/// A connection to a PostgreSQL server, for one thread at a time. Its calls block.
@safe
final class PostgreSQLConnection {
  /// How long a connection is tried, in seconds. The URL may name another time.
  static let connectTimeout = 5
  /// How long a statement waits for the transaction that has locked its record, in seconds.
  static let lockTimeout = 10
  /// How long a statement may take, and how long a transaction may wait for its next statement, in seconds. A server whose
  /// machine disappeared holds its locks no longer.
  static let statementTimeout = 30

  let handle: OpaquePointer
  let name: String
  /// How many warnings the server has sent; freed with the connection.
  let warnings: UnsafeMutablePointer<Int>
  /// The statements that were sent together and whose results have not been read.
  var sent: [SentStatement] = []
  /// The prepared statements, by their text.
  var prepared: [String: String] = [:]
  /// How many statements were prepared. Each has a name of its own.
  var preparations = 0
  /// What was read in advance in the present transaction.
  var prefetched: [SQLRead: [SQLRow]] = [:]
  /// Whether `add` waits for its result in the present transaction. Else a row with the same identity fails the transaction.
  var awaitsAdditions = false
  /// Whether the end of a transaction was sent, whose response has not been read.
  var isEnding = false
  /// The first failure of the present transaction. PostgreSQL refuses every statement after it.
  var failure: PostgreSQLFailure?

  /// Connects.
  ///
  /// - Throws: `AccessStoreError` with code `unavailable`.
  init(_ address: PostgreSQLAddress) throws(AccessStoreError) {
    name = address.name
    guard let opened = unsafe Self.connect(address) else {
      throw AccessStoreError(.unavailable, "\(address.name): no memory for a connection")
    }
    unsafe handle = opened
    guard let warnings = unsafe contactless_count_warnings(handle) else {
      unsafe PQfinish(handle)
      throw AccessStoreError(.unavailable, "\(address.name): no memory for a connection")
    }
    unsafe self.warnings = warnings
    guard unsafe PQstatus(handle) == CONNECTION_OK else {
      let message = address.message(unsafe String(cString: PQerrorMessage(handle)))
      throw AccessStoreError(.unavailable, "\(name) cannot be reached: \(message)")
    }
    let encoding = unsafe PQparameterStatus(handle, "server_encoding").map { unsafe String(cString: $0) } ?? ""
    guard encoding == "UTF8" else {
      throw AccessStoreError(.unavailable, "\(name) has the encoding \(encoding): create it with ENCODING 'UTF8'")
    }
    do {
      try run(Self.settings)
    } catch {
      throw error.described(name)
    }
  }

  deinit {
    unsafe PQfinish(handle)
    unsafe free(warnings)
  }

  private static func connect(_ address: PostgreSQLAddress) -> OpaquePointer? {
    // A later keyword replaces an earlier one: the URL stands between what it may change and what it may not.
    let options = [
      ("connect_timeout", "\(connectTimeout)"), ("tcp_user_timeout", "\(statementTimeout * 1_000)"),
      ("fallback_application_name", "contactless"), ("dbname", address.exposedText), ("client_encoding", "UTF8"),
    ]
    let keywords = unsafe options.map { unsafe strdup($0.0) }
    let values = unsafe options.map { unsafe strdup($0.1) }
    defer { unsafe (keywords + values).forEach { unsafe free($0) } }
    return unsafe PQconnectdbParams(
      keywords.map { unsafe UnsafePointer($0) } + [nil], values.map { unsafe UnsafePointer($0) } + [nil], 1)
  }

  /// The settings of a session. A sequential scan of a small table would conflict with every change of it, and every query
  /// has an index. A commit must be durable before it is answered, else a token could be used again.
  private static let settings = """
    SET lock_timeout = '\(lockTimeout)s'; SET statement_timeout = '\(statementTimeout)s';
    SET idle_in_transaction_session_timeout = '\(statementTimeout)s'; SET enable_seqscan = off;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
    """

  /// Runs statements without arguments, outside of a transaction of `begin`.
  func run(_ sql: String) throws(PostgreSQLFailure) {
    try receive()
    unsafe PQexitPipelineMode(handle)
    do throws(PostgreSQLFailure) {
      _ = try unsafe PostgreSQLResult(owning: PQexec(handle, sql))
    } catch {
      throw keep(unsafe PQstatus(handle) == CONNECTION_OK ? error : .lost)
    }
  }

  func keep(_ found: PostgreSQLFailure) -> PostgreSQLFailure {
    if failure == nil { failure = found }
    return found
  }

  /// Replaces each `?` by `$1`, `$2`, ….
  static func numbered(_ sql: String) -> String {
    var parts = sql.split(separator: "?", omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices.dropFirst() { parts[index] = "$\(index)" + parts[index] }
    return parts.joined()
  }
}

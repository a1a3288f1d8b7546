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

  private let handle: OpaquePointer
  private let name: String
  /// The prepared statements, by their text.
  private var prepared: [String: String] = [:]
  /// The first failure of the present transaction. PostgreSQL refuses every statement after it.
  private(set) var failure: PostgreSQLFailure?

  /// Connects.
  ///
  /// - Throws: `AccessStoreError` with code `unavailable`.
  init(_ address: PostgreSQLAddress) throws(AccessStoreError) {
    name = address.name
    guard let opened = unsafe Self.connect(address) else {
      throw AccessStoreError(.unavailable, "\(address.name): no memory for a connection")
    }
    unsafe handle = opened
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

  deinit { unsafe PQfinish(handle) }

  private static func connect(_ address: PostgreSQLAddress) -> OpaquePointer? {
    // A later keyword replaces an earlier one: the URL stands between what it may change and what it may not.
    let options = [
      ("connect_timeout", "\(connectTimeout)"), ("tcp_user_timeout", "\(statementTimeout * 1_000)"),
      ("fallback_application_name", "contactless"), ("dbname", address.exposedText), ("client_encoding", "UTF8"),
    ]
    let keywords = unsafe options.map { unsafe strdup($0.0) }
    let values = unsafe options.map { unsafe strdup($0.1) }
    defer { unsafe (keywords + values).forEach { unsafe free($0) } }
    let handle = unsafe PQconnectdbParams(
      keywords.map { unsafe UnsafePointer($0) } + [nil], values.map { unsafe UnsafePointer($0) } + [nil], 1)
    if let handle = unsafe handle { unsafe contactless_ignore_notices(handle) }
    return unsafe handle
  }

  /// The settings of a session. A sequential scan of a small table would conflict with every change of it, and every query
  /// has an index. A commit must be durable before it is answered, else a token could be used again.
  private static let settings = """
    SET lock_timeout = '\(lockTimeout)s'; SET statement_timeout = '\(statementTimeout)s';
    SET idle_in_transaction_session_timeout = '\(statementTimeout)s'; SET enable_seqscan = off;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
    """

  /// Begins a transaction.
  func begin(_ mode: String) throws(PostgreSQLFailure) {
    failure = nil
    try run("BEGIN \(mode)")
  }

  /// Commits the transaction.
  func commit() throws(PostgreSQLFailure) {
    let command = try unsafe result(PQexec(handle, "COMMIT")).command
    guard command == "COMMIT" else { throw failure ?? .lost }
  }

  /// Rolls the transaction back.
  func rollBack() throws(PostgreSQLFailure) { try run("ROLLBACK") }

  /// Runs statements without arguments.
  func run(_ sql: String) throws(PostgreSQLFailure) { _ = try unsafe result(PQexec(handle, sql)) }

  /// Runs a statement with arguments, which is prepared at its first use.
  func execute(_ sql: String, _ arguments: [SQLValue]) throws(PostgreSQLFailure) -> PostgreSQLResult {
    let statement = try prepare(sql)
    let bound = BoundArguments(arguments)
    return try unsafe result(
      bound.withAddresses { addresses in
        unsafe PQexecPrepared(
          handle, statement, Int32(arguments.count), addresses, bound.lengths, bound.formats, 1)
      })
  }

  private func prepare(_ sql: String) throws(PostgreSQLFailure) -> String {
    if let known = prepared[sql] { return known }
    let statement = "s\(prepared.count)"
    _ = try unsafe result(PQprepare(handle, statement, Self.numbered(sql), 0, nil))
    prepared[sql] = statement
    return statement
  }

  /// Replaces each `?` by `$1`, `$2`, ….
  private static func numbered(_ sql: String) -> String {
    var parts = sql.split(separator: "?", omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices.dropFirst() { parts[index] = "$\(index)" + parts[index] }
    return parts.joined()
  }

  private func result(_ received: OpaquePointer?) throws(PostgreSQLFailure) -> PostgreSQLResult {
    do throws(PostgreSQLFailure) {
      return try unsafe PostgreSQLResult(owning: received)
    } catch {
      let found = unsafe PQstatus(handle) == CONNECTION_OK ? error : .lost
      if failure == nil { failure = found }
      throw found
    }
  }
}

extension PostgreSQLConnection: SQLConnection {
  func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [[String: SQLValue]] {
    do throws(PostgreSQLFailure) {
      return try execute(sql, arguments).rows
    } catch {
      throw error.described(name)
    }
  }

  func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int {
    do throws(PostgreSQLFailure) {
      return try execute(sql, arguments).changedRows
    } catch {
      throw error.described(name)
    }
  }
}

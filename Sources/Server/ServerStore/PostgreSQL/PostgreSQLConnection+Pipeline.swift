internal import CPostgreSQL

/// A statement whose result has not been read.
struct SentStatement {
  /// The text of the statement that it prepares; nil when it executes one.
  var preparing: String?
  var receive: (borrowing PostgreSQLResult) -> Void = { _ in }
}

/// How a commit has ended.
enum PostgreSQLCommit {
  case committed
  /// Nothing was kept.
  case failed(PostgreSQLFailure)
  /// The connection was lost after the commit was sent, or the server warned that a standby may not have the transaction.
  case unknown
}

// Statements whose results are not needed are sent together with the next one whose result is needed, in the pipeline mode of
// libpq, so that they cost no round trip of their own.
extension PostgreSQLConnection {
  /// Begins a transaction. It is sent with its first statement.
  ///
  /// - Parameter awaitsAdditions: Whether `add` waits for its result.
  func begin(_ mode: String, awaitsAdditions: Bool) throws(PostgreSQLFailure) {
    failure = nil
    prefetched = [:]
    self.awaitsAdditions = awaitsAdditions
    try receive()
    try send("BEGIN \(mode)", [])
  }

  /// Commits the transaction, together with the statements that wait to be sent.
  func commit() -> PostgreSQLCommit {
    let before = unsafe warnings.pointee
    var command = ""
    do throws(PostgreSQLFailure) {
      try send("COMMIT", []) { command = $0.command }
    } catch {
      return .failed(error)
    }
    switch receiveAll() {
    case .complete where command == "COMMIT": return unsafe warnings.pointee == before ? .committed : .unknown
    case .complete: return .failed(failure ?? .lost)
    // The server executes statements in their order: after an earlier one failed, it does not commit.
    case .refused(let failure, isLast: false): return .failed(keep(failure))
    case .refused(let failure, isLast: true): return failure == .lost ? .unknown : .failed(keep(failure))
    case .silent:
      _ = keep(.lost)
      return .unknown
    }
  }

  /// Ends a transaction that has only read.
  func endReading() throws(PostgreSQLFailure) { try end(by: "COMMIT") }

  /// Rolls the transaction back.
  func rollBack() throws(PostgreSQLFailure) {
    // What waits to be sent may fail, and the server would then skip the command with it.
    _ = receiveAll()
    failure = nil
    try end(by: "ROLLBACK")
  }

  /// Sends the end of a transaction, whose response is read before the next statement.
  private func end(by command: String) throws(PostgreSQLFailure) {
    try send(command, [])
    guard unsafe PQpipelineSync(handle) == 1 else { throw keep(.lost) }
    isEnding = true
  }

  fileprivate func send(
    _ sql: String, _ arguments: [SQLValue], receive: @escaping (borrowing PostgreSQLResult) -> Void = { _ in }
  ) throws(PostgreSQLFailure) {
    if let failure { throw failure }
    if unsafe PQpipelineStatus(handle) == PQ_PIPELINE_OFF { unsafe PQenterPipelineMode(handle) }
    let statement = try prepare(sql)
    let bound = BoundArguments(arguments)
    let isSent = unsafe bound.withAddresses { addresses in
      unsafe PQsendQueryPrepared(
        handle, statement, Int32(arguments.count), addresses, bound.lengths, bound.formats, 1)
    }
    guard isSent == 1 else { throw keep(.lost) }
    sent.append(SentStatement(receive: receive))
  }

  private func prepare(_ sql: String) throws(PostgreSQLFailure) -> String {
    if let known = prepared[sql] { return known }
    preparations += 1
    let statement = "s\(preparations)"
    guard unsafe PQsendPrepare(handle, statement, Self.numbered(sql), 0, nil) == 1 else { throw keep(.lost) }
    sent.append(SentStatement(preparing: sql))
    prepared[sql] = statement
    return statement
  }

  /// What the server answered to the statements that were sent.
  private enum Received {
    case complete
    /// The first failure. `isLast`: it was that of the last statement.
    case refused(PostgreSQLFailure, isLast: Bool)
    /// The connection ended without a response.
    case silent
  }

  /// Sends what waits to be sent, and reads all results.
  func receive() throws(PostgreSQLFailure) {
    switch receiveAll() {
    case .complete: return
    case .refused(let failure, _): throw keep(failure)
    case .silent: throw keep(.lost)
    }
  }

  private func receiveAll() -> Received {
    guard !sent.isEmpty else { return .complete }
    defer { (sent, isEnding) = ([], false) }
    guard unsafe isEnding || PQpipelineSync(handle) == 1 else { return .silent }
    var received = Received.complete
    for (index, statement) in sent.enumerated() {
      let failure = receiveOne(statement)
      if let failure, case .complete = received { received = failure(index == sent.count - 1) }
      guard unsafe PQstatus(handle) == CONNECTION_OK else { return received }
    }
    // The end of the pipeline.
    unsafe PQclear(PQgetResult(handle))
    return received
  }

  /// Reads the result of a statement. Returns what its failure means; nil when it succeeded, and when the server skipped it
  /// after an earlier failure.
  private func receiveOne(_ statement: SentStatement) -> ((_ isLast: Bool) -> Received)? {
    let result = unsafe PQgetResult(handle)
    // Each result is followed by the end of its statement.
    defer { if unsafe PQstatus(handle) == CONNECTION_OK { unsafe PQclear(PQgetResult(handle)) } }
    if unsafe PQresultStatus(result) == PGRES_PIPELINE_ABORTED {
      unsafe PQclear(result)
      if let sql = statement.preparing { prepared[sql] = nil }
      return nil
    }
    let isSilent = unsafe result == nil || contactless_sqlstate(result) == nil
    do throws(PostgreSQLFailure) {
      statement.receive(try unsafe PostgreSQLResult(owning: result))
      return nil
    } catch {
      if let sql = statement.preparing { prepared[sql] = nil }
      return { isLast in isSilent ? .silent : .refused(error, isLast: isLast) }
    }
  }
}

extension PostgreSQLConnection: SQLConnection {
  func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [SQLRow] {
    if let found = prefetched[SQLRead(sql: sql, arguments: arguments)] { return found }
    var rows: [SQLRow] = []
    try described { () throws(PostgreSQLFailure) in
      try send(sql, arguments) { rows = $0.rows }
      try receive()
    }
    return rows
  }

  func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int {
    forget(sql)
    var count = 0
    try described { () throws(PostgreSQLFailure) in
      try send(sql, arguments) { count = $0.changedRows }
      try receive()
    }
    return count
  }

  func post(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) {
    forget(sql)
    try described { () throws(PostgreSQLFailure) in try send(sql, arguments) }
  }

  func add(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Bool {
    guard !awaitsAdditions else { return try change("\(sql) ON CONFLICT DO NOTHING", arguments) == 1 }
    try post(sql, arguments)
    return true
  }

  func prefetch(_ reads: [SQLRead]) throws(AccessStoreError) {
    try described { () throws(PostgreSQLFailure) in
      for read in reads { try send(read.sql, read.arguments) { [unowned self] in prefetched[read] = $0.rows } }
      try receive()
    }
  }

  /// Forgets what was read in advance of the table that a statement changes. A deletion from a table that other tables refer
  /// to removes rows of those too.
  private func forget(_ sql: String) {
    guard !prefetched.isEmpty else { return }
    let table = sql.split(separator: "\"", maxSplits: 2).dropFirst().first.map { "\"\($0)\"" }
    guard let table, !(sql.hasPrefix("DELETE") && AccessSchema.referredTables.contains(table)) else {
      return prefetched = [:]
    }
    prefetched = prefetched.filter { !$0.key.sql.contains(table) }
  }

  private func described(_ body: () throws(PostgreSQLFailure) -> Void) throws(AccessStoreError) {
    do throws(PostgreSQLFailure) {
      try body()
    } catch {
      throw error.described(name)
    }
  }
}

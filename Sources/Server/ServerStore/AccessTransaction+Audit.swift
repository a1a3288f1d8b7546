internal import Octets

extension AccessTransaction {
  /// The newest entries of the audit trail, newest first.
  package func auditEntries(limit: Int) throws(AccessError) -> [AuditEntry] {
    precondition(limit >= 0, "a list has no or more entries")
    return try records("ORDER BY number DESC LIMIT ?", [limit])
  }

  /// The number of the newest row of a table that is not among its newest ones. Takes time that grows with `count` when the
  /// table may have more rows, and is fast when it has fewer.
  ///
  /// - Parameter count: How many rows are the newest ones, at least 1.
  /// - Returns: Nil when the table has no further row.
  package func newestNumber(of table: RecordTable, besides count: Int) throws(AccessError) -> Int64? {
    precondition(count >= 1, "a list has at least one entry")
    guard let first = try number(in: table, "ORDER BY number LIMIT 1", []),
      let last = try number(in: table, "ORDER BY number DESC LIMIT 1", []), last - first >= Int64(count)
    else { return nil }
    return try number(in: table, "ORDER BY number DESC LIMIT 1 OFFSET ?", [count])
  }

  private func number(
    in table: RecordTable, _ condition: String, _ arguments: [Argument]
  ) throws(AccessError) -> Int64? { try rows("number", of: table, condition, arguments).first?.value("number") }

  /// Removes the oldest rows of a table up to a number.
  ///
  /// - Parameters:
  ///   - last: The number; nil removes nothing.
  ///   - limit: The most rows that are removed.
  /// - Returns: How many rows were removed.
  package func removeOldest(
    of table: RecordTable, upTo last: Int64?, atMost limit: Int
  ) throws(AccessError) -> Int {
    guard let last, limit > 0 else { return 0 }
    let oldest = "SELECT number FROM \(table.quoted) WHERE number <= ? ORDER BY number LIMIT ?"
    return try remove(from: table, where: "number IN (\(oldest))", [last, limit])
  }

  /// The value of a setting of the server, such as a key that it made at first start.
  package func setting(_ name: String) throws(AccessError) -> [UInt8]? {
    let setting: SettingRecord? = try record("name", name)
    return setting?.value
  }
  /// Sets a setting of the server.
  package func set(_ name: String, to value: [UInt8]) throws(AccessError) {
    try save(SettingRecord(name: name, value: value))
  }

  /// The setting with the moment at which the database was copied. The first start of a server on the copy removes it.
  package static let copyMark = "copiedAt"

  /// Marks the database as a copy of an earlier state.
  package func markCopy(at now: Int64) throws(AccessError) {
    try set(Self.copyMark, to: UInt64(bitPattern: now).bigEndianOctets)
  }

  /// The most records that one transaction of the cleaning removes.
  package static let cleaningSlice = 1_000

  /// What a cleaning removes. It is read once for all slices of the cleaning.
  package struct Expired: Sendable {
    /// See `removeExpired`.
    package let moment: Int64
    /// The numbers of the last entry of the audit trail and of the last payment that are too many; nil where none are.
    package let auditEntry, cardAttempt: Int64?
  }

  /// What a cleaning at a moment removes.
  ///
  /// - Parameters:
  ///   - count: How many entries of the audit trail are kept, at least 1.
  ///   - attempts: How many payments that were not approved are kept, at least 1.
  package func expired(
    before moment: Int64, keepingAuditEntries count: Int, cardAttempts attempts: Int
  ) throws(AccessError) -> Expired {
    Expired(
      moment: moment, auditEntry: try newestNumber(of: AuditEntry.table, besides: count),
      cardAttempt: try newestNumber(of: CardAttemptRecord.table, besides: attempts))
  }

  /// Removes at most `cleaningSlice` records that have expired or are the oldest of a list that is too long. Takes a time that
  /// does not grow with the records that stay.
  ///
  /// - Returns: How many records were removed; fewer than `cleaningSlice` when nothing is left.
  package func removeSlice(of expired: Expired) throws(AccessError) -> Int {
    var removed = try removeExpired(before: expired.moment, atMost: Self.cleaningSlice)
    removed += try removeOldest(
      of: AuditEntry.table, upTo: expired.auditEntry, atMost: Self.cleaningSlice - removed)
    return removed
      + (try removeOldest(
        of: CardAttemptRecord.table, upTo: expired.cardAttempt, atMost: Self.cleaningSlice - removed))
  }

  /// Removes challenges, out-of-band tokens, operations, authorizations, used requests, registration tokens, failures,
  /// sessions, tokens and used requests of wallets, sessions of the operator's page, and payments that were not approved, whose
  /// `expiresAt` is before a moment.
  ///
  /// - Parameter limit: The most records that are removed.
  /// - Returns: How many records were removed.
  package func removeExpired(before moment: Int64, atMost limit: Int = .max) throws(AccessError) -> Int {
    let tables = [
      ChallengeRecord.table, OutOfBandTokenRecord.table, OperationRecord.table, AuthorizationRecord.table,
      UsedRequestRecord.table, RegistrationTokenRecord.table, FailureRecord.table, WalletSessionRecord.table,
      WalletTokenRecord.table, UsedWalletRequestRecord.table, OperatorSessionRecord.table, CardAttemptRecord.table,
    ]
    var count = 0
    for table in tables where count < limit { count += try removeExpired(from: table, before: moment, limit - count) }
    return count
  }

  private func removeExpired(
    from table: RecordTable, before moment: Int64, _ limit: Int
  ) throws(AccessError) -> Int {
    // The rows of a list are identified by their numbers.
    let identity = table.identity.isEmpty ? "number" : table.identity.joined(separator: ", ")
    let expired = "SELECT \(identity) FROM \(table.quoted) WHERE expiresAt < ? ORDER BY expiresAt LIMIT ?"
    return try remove(from: table, where: "(\(identity)) IN (\(expired))", [moment, limit])
  }

  /// When records become fewer than a number.
  ///
  /// - Parameters:
  ///   - count: The number, at least 1.
  ///   - records: The records.
  ///   - moment: Records that expire at this moment or before it are not counted.
  /// - Returns: The moment at which the number is not reached any more if none of them is removed; nil when there are fewer.
  package func expiry(ofCount count: Int, _ records: CountedRecords, at moment: Int64) throws(AccessError) -> Int64? {
    precondition(count >= 1, "fewer than no records are impossible")
    let (table, column, value) = records.selected
    let newest = "WHERE \(column) = ? AND expiresAt > ? ORDER BY expiresAt DESC LIMIT 1 OFFSET ?"
    return try rows("expiresAt", of: table, newest, [value, moment, count - 1]).first?.value("expiresAt")
  }

  /// How many challenges wait for a response at a moment.
  package func challengeCount(at moment: Int64) throws(AccessError) -> Int {
    let counted = try rows("COUNT(*) AS number", of: ChallengeRecord.table, "WHERE expiresAt > ?", [moment])
    return try counted.first?.value("number") ?? 0
  }

  /// The number of records that have not expired.
  ///
  /// - Parameters:
  ///   - limit: Counting ends at this number.
  ///   - moment: Records that expire at this moment or before it are not counted.
  package func count(of records: CountedRecords, atMost limit: Int, at moment: Int64) throws(AccessError) -> Int {
    let (table, column, value) = records.selected
    let some = "WHERE \(column) = ? AND expiresAt > ? LIMIT ?) AS counted"
    let counted = "count(*) AS number FROM (SELECT 1"
    return try rows(counted, of: table, some, [value, moment, limit]).first?.value("number") ?? 0
  }
}

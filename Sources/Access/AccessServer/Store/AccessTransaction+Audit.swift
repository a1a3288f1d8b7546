extension AccessTransaction {
  /// The newest entries of the audit trail, newest first.
  func auditEntries(limit: Int) throws(AccessStoreError) -> [AuditEntry] {
    precondition(limit >= 0, "a list has no or more entries")
    return try records("ORDER BY number DESC LIMIT ?", [limit])
  }

  /// Removes the oldest rows of a table whose rows are numbered.
  ///
  /// - Parameters:
  ///   - count: How many rows are kept, at least 1.
  ///   - limit: The most rows that are removed.
  /// - Returns: How many rows were removed.
  func removeOldest(
    of table: RecordTable, keeping count: Int, atMost limit: Int = .max
  ) throws(AccessStoreError) -> Int {
    precondition(count >= 1, "a list has at least one entry")
    let newest = "(SELECT number FROM \(table.quoted) ORDER BY number DESC LIMIT 1 OFFSET ?)"
    let oldest = "SELECT number FROM \(table.quoted) WHERE number <= \(newest) ORDER BY number LIMIT ?"
    return try remove(from: table, where: "number IN (\(oldest))", [count, limit])
  }

  /// Adds an entry about the server itself, which no client caused.
  func audit(_ event: AuditEvent, _ result: String, at now: Int64) throws(AccessStoreError) {
    try save(AuditEntry(at: now, event: event.rawValue, result: result))
  }

  /// The value of a setting of the server, such as a key that it made at first start.
  func setting(_ name: String) throws(AccessStoreError) -> [UInt8]? {
    let setting: SettingRecord? = try record("name", name)
    return setting?.value
  }
  /// Sets a setting of the server.
  func set(_ name: String, to value: [UInt8]) throws(AccessStoreError) {
    try save(SettingRecord(name: name, value: value))
  }

  /// The most records that one transaction of the cleaning removes.
  static let cleaningSlice = 1_000

  /// Removes at most `cleaningSlice` records that have expired or are the oldest of a list that is too long.
  ///
  /// - Parameters:
  ///   - moment: See `removeExpired`.
  ///   - count: How many entries of the audit trail are kept, at least 1.
  /// - Returns: How many records were removed; fewer than `cleaningSlice` when nothing is left.
  func removeSlice(expiredBefore moment: Int64, keepingAuditEntries count: Int) throws(AccessStoreError) -> Int {
    var removed = try removeExpired(before: moment, atMost: Self.cleaningSlice)
    removed += try removeOldest(of: AuditEntry.table, keeping: count, atMost: Self.cleaningSlice - removed)
    return removed
      + (try removeOldest(
        of: CardAttemptRecord.table, keeping: RecordLimits.cardAttempts, atMost: Self.cleaningSlice - removed))
  }

  /// Removes challenges, out-of-band tokens, operations, authorizations, used requests, registration tokens, failures,
  /// sessions, tokens and used requests of wallets, sessions of the operator's page, and payments that were not approved, whose
  /// `expiresAt` is before a moment.
  ///
  /// - Parameter limit: The most records that are removed.
  /// - Returns: How many records were removed.
  func removeExpired(before moment: Int64, atMost limit: Int = .max) throws(AccessStoreError) -> Int {
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
  ) throws(AccessStoreError) -> Int {
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
  func expiry(ofCount count: Int, _ records: CountedRecords, at moment: Int64) throws(AccessStoreError) -> Int64? {
    precondition(count >= 1, "fewer than no records are impossible")
    let (table, column, value) = records.selected
    let newest = "WHERE \(column) = ? AND expiresAt > ? ORDER BY expiresAt DESC LIMIT 1 OFFSET ?"
    return try rows("expiresAt", of: table, newest, [value, moment, count - 1]).first?.value("expiresAt")
  }

  /// How many challenges wait for a response at a moment.
  func challengeCount(at moment: Int64) throws(AccessStoreError) -> Int {
    let counted = try rows("COUNT(*) AS number", of: ChallengeRecord.table, "WHERE expiresAt > ?", [moment])
    return try counted.first?.value("number") ?? 0
  }

  /// The number of records that have not expired.
  ///
  /// - Parameters:
  ///   - limit: Counting ends at this number.
  ///   - moment: Records that expire at this moment or before it are not counted.
  func count(of records: CountedRecords, atMost limit: Int, at moment: Int64) throws(AccessStoreError) -> Int {
    let (table, column, value) = records.selected
    let some = "WHERE \(column) = ? AND expiresAt > ? LIMIT ?) AS counted"
    let counted = "count(*) AS number FROM (SELECT 1"
    return try rows(counted, of: table, some, [value, moment, limit]).first?.value("number") ?? 0
  }
}

extension CountedRecords {
  /// The table, the column and its value.
  fileprivate var selected: (RecordTable, String, String) {
    switch self {
    case .challenges(let address): (ChallengeRecord.table, "address", address)
    case .operations(let address): (OperationRecord.table, "address", address)
    case .usedRequests(let device): (UsedRequestRecord.table, "device", device)
    case .usedWalletRequests(let device): (UsedWalletRequestRecord.table, "device", device)
    case .unlinkedWalletRequests(let address): (UsedWalletRequestRecord.table, "address", address)
    }
  }
}

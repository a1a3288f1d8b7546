extension AccessTransaction {
  /// The newest entries of the audit trail, newest first.
  func auditEntries(limit: Int) throws(AccessStoreError) -> [AuditEntry] {
    precondition(limit >= 0, "a list has no or more entries")
    return try records("ORDER BY number DESC LIMIT ?", [limit])
  }
  /// Removes the oldest entries of the audit trail.
  ///
  /// - Parameter count: How many entries are kept, at least 1.
  /// - Returns: How many entries were removed.
  func removeAuditEntries(keeping count: Int) throws(AccessStoreError) -> Int {
    try removeOldest(of: AuditEntry.table, keeping: count)
  }
  /// Removes the oldest rows of a table whose rows are numbered.
  func removeOldest(of table: RecordTable, keeping count: Int) throws(AccessStoreError) -> Int {
    precondition(count >= 1, "a list has at least one entry")
    let oldest = "(SELECT number FROM \(table.quoted) ORDER BY number DESC LIMIT 1 OFFSET ?)"
    return try remove(from: table, where: "number <= \(oldest)", [count])
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

  /// Removes challenges, out-of-band tokens, operations, authorizations, used requests, registration tokens, failures,
  /// sessions, tokens and used requests of wallets, sessions of the operator's page, and payments that were not approved, whose `expiresAt` is before a moment.
  ///
  /// - Returns: How many records were removed.
  func removeExpired(before moment: Int64) throws(AccessStoreError) -> Int {
    let tables = [
      ChallengeRecord.table, OutOfBandTokenRecord.table, OperationRecord.table, AuthorizationRecord.table,
      UsedRequestRecord.table, RegistrationTokenRecord.table, FailureRecord.table, WalletSessionRecord.table,
      WalletTokenRecord.table, UsedWalletRequestRecord.table, OperatorSessionRecord.table, CardAttemptRecord.table,
    ]
    var count = 0
    for table in tables { count += try remove(from: table, where: "expiresAt < ?", [moment]) }
    return count
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

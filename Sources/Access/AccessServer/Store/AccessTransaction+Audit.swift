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
    precondition(count >= 1, "an audit trail has at least one entry")
    let oldest = "(SELECT number FROM audit ORDER BY number DESC LIMIT 1 OFFSET ?)"
    return try remove(from: AuditEntry.table, where: "number <= \(oldest)", [count])
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

  /// Removes challenges, out-of-band tokens, operations, authorizations, used requests, registration tokens, failures, and
  /// sessions, tokens and used requests of wallets whose `expiresAt` is before a moment.
  ///
  /// - Returns: How many records were removed.
  func removeExpired(before moment: Int64) throws(AccessStoreError) -> Int {
    let tables = [
      ChallengeRecord.table, OutOfBandTokenRecord.table, OperationRecord.table, AuthorizationRecord.table,
      UsedRequestRecord.table, RegistrationTokenRecord.table, FailureRecord.table, WalletSessionRecord.table,
      WalletTokenRecord.table, UsedWalletRequestRecord.table,
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

  /// How many challenges wait for a response at a moment.
  func challengeCount(at moment: Int64) throws(AccessStoreError) -> Int {
    let counted = try rows("COUNT(*) AS number", of: ChallengeRecord.table, "WHERE expiresAt > ?", [moment])
    return try counted.first?.value("number") ?? 0
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

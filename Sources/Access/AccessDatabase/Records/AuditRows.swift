internal import AccessServer

extension DatabaseTransaction {
  func auditEntries(limit: Int) throws(AccessStoreError) -> [AuditEntry] {
    precondition(limit >= 0, "a list has no or more entries")
    return try records("ORDER BY number DESC LIMIT ?", [limit])
  }
  func append(_ entry: AuditEntry) throws(AccessStoreError) { try keep(entry) }
  func removeAuditEntries(keeping count: Int) throws(AccessStoreError) -> Int {
    precondition(count >= 1, "an audit trail has at least one entry")
    let oldest = "(SELECT number FROM audit ORDER BY number DESC LIMIT 1 OFFSET ?)"
    return try remove(from: AuditEntry.table, "WHERE number <= \(oldest)", [count])
  }

  private static let settings = RecordTable("setting", identity: ["name"], ["value"])

  func setting(_ name: String) throws(AccessStoreError) -> [UInt8]? {
    try rows(Self.settings, "WHERE name = ?", [name]).first?.value("value")
  }
  func set(_ name: String, to value: [UInt8]) throws(AccessStoreError) {
    try change(Self.settings.saving, [name, value])
  }

  func removeExpired(before moment: Int64) throws(AccessStoreError) -> Int {
    let tables = [
      ChallengeRecord.table, OutOfBandTokenRecord.table, OperationRecord.table, AuthorizationRecord.table,
      Self.usedRequests, RegistrationTokenRecord.table, FailureRecord.table, WalletSessionRecord.table,
      WalletTokenRecord.table, Self.usedWalletRequests,
    ]
    var count = 0
    for table in tables { count += try remove(from: table, "WHERE expiresAt < ?", [moment]) }
    return count
  }
}

extension AuditEntry: StoredRecord {
  static let table = RecordTable(
    "audit", identity: [], ["at", "event", "result", "account", "device", "sessionID", "address"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      at: try row.value("at"), event: try row.value("event"), result: try row.value("result"),
      account: try row.optional("account"), device: try row.optional("device"),
      sessionID: try row.optional("sessionID"), address: try row.optional("address"))
  }

  var values: [(any StoredValue)?] { [at, event, result, account, device, sessionID, address] }
}

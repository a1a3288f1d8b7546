internal import AccessServer
internal import Foundation
internal import GRDB

extension SQLiteTransaction {
  func auditEntries(limit: Int) throws(AccessStoreError) -> [AuditEntry] {
    precondition(limit >= 0, "a list has no or more entries")
    let sql = """
      SELECT at, event, result, account, device, sessionID, address FROM audit ORDER BY number DESC LIMIT ?
      """
    var entries: [AuditEntry] = []
    for row in try rows(sql, [limit]) { entries.append(try AuditEntry(RecordRow(row, of: "audit"))) }
    return entries
  }

  func append(_ entry: AuditEntry) throws(AccessStoreError) {
    try change(
      "INSERT INTO audit (at, event, result, account, device, sessionID, address) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [entry.at, entry.event, entry.result, entry.account, entry.device, entry.sessionID, entry.address])
  }

  func setting(_ name: String) throws(AccessStoreError) -> [UInt8]? {
    guard let row = try rows("SELECT value FROM setting WHERE name = ?", [name]).first else { return nil }
    return try RecordRow(row, of: "setting").octets("value")
  }

  func set(_ name: String, to value: [UInt8]) throws(AccessStoreError) {
    try change(
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [name, value.stored])
  }

  func removeExpired(before moment: Int64) throws(AccessStoreError) -> Int {
    let tables = [
      "challenge", "outOfBandToken", "operation", "authorization", "usedRequest", "registrationToken", "failure",
      "walletSession", "walletToken", "usedWalletRequest",
    ]
    var count = 0
    for table in tables { count += try change("DELETE FROM \(table) WHERE expiresAt < ?", [moment]) }
    return count
  }
}

extension AuditEntry {
  fileprivate init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      at: try row.value("at"), event: try row.value("event"), result: try row.value("result"),
      account: try row.optional("account"), device: try row.optional("device"),
      sessionID: try row.optional("sessionID"), address: try row.optional("address"))
  }
}

internal import AccessServer

extension DatabaseTransaction {
  func expiry(ofCount count: Int, _ records: CountedRecords, at moment: Int64) throws(AccessStoreError) -> Int64? {
    precondition(count >= 1, "fewer than no records are impossible")
    let (table, condition, value) = records.selected
    let newest = "WHERE \(condition) AND expiresAt > ? ORDER BY expiresAt DESC LIMIT 1 OFFSET ?"
    return try rows(table, newest, [value, moment, count - 1]).first?.value("expiresAt")
  }
}

extension CountedRecords {
  /// The table, the condition of SQL and its argument.
  fileprivate var selected: (RecordTable, String, String) {
    switch self {
    case .challenges(let address): (Self.table("challenge"), "address = ?", address)
    case .operations(let address): (Self.table("operation"), "address = ?", address)
    case .usedRequests(let device): (Self.table("usedRequest"), "device = ?", device)
    case .usedWalletRequests(let device): (Self.table("usedWalletRequest"), "device = ?", device)
    case .unlinkedWalletRequests(let address): (Self.table("usedWalletRequest"), "address = ?", address)
    }
  }

  /// A table of which only the expiry is read.
  private static func table(_ name: String) -> RecordTable { RecordTable(name, identity: [], ["expiresAt"]) }
}

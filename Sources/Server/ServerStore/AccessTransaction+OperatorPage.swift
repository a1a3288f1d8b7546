internal import AccessMessages

extension AccessTransaction {
  /// The session of the operator's page with a digest, expired ones included.
  package func operatorSession(_ digest: TokenDigest) throws(AccessError) -> OperatorSessionRecord? {
    try record("digest", digest)
  }
  /// The sessions of the operator's page, expired ones included, the oldest first.
  package func operatorSessions() throws(AccessError) -> [OperatorSessionRecord] {
    try records("ORDER BY createdAt, rowid", [])
  }

  /// A page of a list, newest first.
  ///
  /// - Parameters:
  ///   - type: The records of the list, whose table numbers them.
  ///   - number: The page begins with the record before the one with this number; nil for the newest.
  ///   - limit: The most records of the page, at least 1.
  package func newest<Record: StoredRecord>(
    _ type: Record.Type, before number: Int64?, limit: Int
  ) throws(AccessError) -> [Numbered<Record>] {
    precondition(limit >= 1, "a page has at least one record")
    return try records("WHERE number < ? ORDER BY number DESC LIMIT ?", [number ?? .max, limit])
  }

  /// A page of the devices of all wallets, ordered by identifier.
  package func walletDevices(after id: String?, limit: Int) throws(AccessError) -> [WalletDeviceRecord] {
    try page(by: "deviceID", after: id, limit: limit)
  }
  /// A page of the cards of an account, deleted ones included, ordered by identifier.
  package func cards(of account: String, after id: String?, limit: Int) throws(AccessError) -> [IssuedCardRecord] {
    try page(by: "id", after: id, limit: limit, where: "account = ?", [account])
  }
  /// The number of cards that a wallet has on a device, without deleted ones.
  package func cardCount(of account: String, onDevice device: String) throws(AccessError) -> Int {
    let condition = "WHERE device = ? AND account = ? AND state <> ?"
    let counts = try rows(
      "count(*) AS cards", of: IssuedCardRecord.table, condition, [device, account, CardEntry.State.deleted])
    return try counts.first?.value("cards") ?? 0
  }

  /// A page of the deactivations whose device is not with its user any more, the oldest first. Their number grows by the
  /// operator only, so the page is counted off from the first one.
  package func formerDeactivations(skipping count: Int, limit: Int) throws(AccessError) -> [DeactivationRecord] {
    precondition(count >= 0 && limit >= 1, "a page has at least one record")
    let kind = DeactivationRecord.Owner.Kind.self
    return try records(
      """
      WHERE NOT EXISTS (SELECT 1 FROM walletDevice WHERE deactivation.kind = ?
      AND walletDevice.deviceID = deactivation.deviceID AND walletDevice.wallet = deactivation.owner)
      AND NOT EXISTS (SELECT 1 FROM device WHERE deactivation.kind = ? AND device.id = deactivation.target)
      ORDER BY createdAt, rowid LIMIT ? OFFSET ?
      """, [kind.wallet, kind.account, limit, count])
  }

  /// The first and the last name of the user of a wallet; nil without one.
  ///
  /// - Parameter userName: The user name of the wallet, in lower case.
  package func personName(ofWallet userName: String) throws(AccessError) -> String? {
    let found = try rows("firstName, lastName", of: EnrolledWalletRecord.table, "WHERE userName = ?", [userName])
    guard let row = found.first else { return nil }
    let (first, last): (String, String) = (try row.value("firstName"), try row.value("lastName"))
    return "\(first) \(last)"
  }
}

/// Which entries of the audit trail are read.
package struct AuditFilter: Hashable {
  /// The account; nil: any.
  package var account: String?
  /// The event; nil: any.
  package var event: String?
  /// How the result begins; nil: any.
  package var result: String?
  /// The moments.
  package var moments: Range<Int64> = 0..<Int64.max

  /// Creates a record.
  package init(
    account: String? = nil, event: String? = nil, result: String? = nil, moments: Range<Int64> = 0..<Int64.max
  ) {
    (self.account, self.event, self.result, self.moments) = (account, event, result, moments)
  }
}

extension AccessTransaction {
  /// A page of the audit trail, newest first by time.
  ///
  /// An index finds the entries by account, else by event, else by time. Whatever else the filter has is compared entry by entry.
  ///
  /// - Parameters:
  ///   - place: The page begins with the entry before this place; nil for the newest.
  ///   - limit: The most entries of the page, at least 1.
  package func auditEntries(
    _ filter: AuditFilter, before place: AuditPlace?, limit: Int
  ) throws(AccessError) -> [Numbered<AuditEntry>] {
    precondition(limit >= 1, "a page has at least one record")
    var (conditions, arguments): ([String], [Argument]) = (["at >= ?", "at < ?"], [])
    arguments = [filter.moments.lowerBound, filter.moments.upperBound]
    func add(_ condition: String, _ values: Argument...) {
      conditions.append(condition)
      arguments += values
    }
    if let account = filter.account { add("account = ?", account) }
    // The concatenation keeps SQLite from the index of the events, of which there are more than entries of an account.
    if let event = filter.event { add(filter.account == nil ? "event = ?" : "event || '' = ?", event) }
    if let result = filter.result { add("result >= ? AND result < ?", result, result + SearchField.lastCharacter) }
    if let place { add("(at, number) < (?, ?)", place.at, place.number) }
    return try records(
      "WHERE \(conditions.joined(separator: " AND ")) ORDER BY at DESC, number DESC LIMIT ?", arguments + [limit])
  }
}

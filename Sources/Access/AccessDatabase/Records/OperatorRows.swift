internal import AccessServer

extension DatabaseTransaction {
  func users(after name: String?, limit: Int) throws(AccessStoreError) -> [UserRecord] {
    precondition(limit >= 1, "a page has at least one record")
    guard let name else { return try records("ORDER BY name LIMIT ?", [limit]) }
    return try records("WHERE name > ? ORDER BY name LIMIT ?", [name, limit])
  }

  func pendingTokens(
    at moment: Int64, after digest: TokenDigest?, limit: Int
  ) throws(AccessStoreError) -> [OutOfBandTokenRecord] {
    precondition(limit >= 1, "a page has at least one record")
    let pending = "redeemedAt IS NULL AND expiresAt > ?"
    guard let digest else { return try records("WHERE \(pending) ORDER BY digest LIMIT ?", [moment, limit]) }
    return try records(
      "WHERE \(pending) AND digest > ? ORDER BY digest LIMIT ?", [moment, digest, limit])
  }

  func payments(before number: Int64?, limit: Int) throws(AccessStoreError) -> [NumberedPayment] {
    precondition(limit >= 1, "a page has at least one record")
    var payments: [NumberedPayment] = []
    let condition = "WHERE number < ? ORDER BY number DESC LIMIT ?"
    for row in try rows(Self.numberedPayments, condition, [number ?? .max, limit]) {
      payments.append(NumberedPayment(number: try row.value("number"), payment: try CardPaymentRecord(row)))
    }
    return payments
  }

  private static let numberedPayments = RecordTable(
    "cardPayment", identity: ["number"],
    ["card", "at", "amount", "currency", "counter", "isApproved", "responseCode"])
}

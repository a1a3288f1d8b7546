internal import AccessServer
internal import GRDB

extension SQLiteTransaction {
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
      "WHERE \(pending) AND digest > ? ORDER BY digest LIMIT ?", [moment, digest.octets.stored, limit])
  }

  func payments(before number: Int64?, limit: Int) throws(AccessStoreError) -> [NumberedPayment] {
    precondition(limit >= 1, "a page has at least one record")
    let sql = """
      SELECT number, card, at, amount, currency, counter, isApproved, responseCode FROM cardPayment \
      WHERE number < ? ORDER BY number DESC LIMIT ?
      """
    var payments: [NumberedPayment] = []
    for row in try rows(sql, [number ?? .max, limit]) {
      let row = RecordRow(row, of: "cardPayment")
      payments.append(NumberedPayment(number: try row.value("number"), payment: try CardPaymentRecord(row)))
    }
    return payments
  }
}

internal import EMVData
internal import ISO7816
internal import Octets

extension Issuer {
  /// Returns whether a card has expired at the date of tag 9A: by tag 5F24, or else by the month in track 2, tag 57. A
  /// payment without these data has not.
  static func isExpired(_ data: (Tag) -> [UInt8]?) -> Bool {
    guard let date = data(.transactionDate).flatMap(TransactionDate.init(numeric:)) else { return false }
    if let last = data(.applicationExpirationDate).flatMap(TransactionDate.init(numeric:)) { return last < date }
    return isExpired(data(.track2EquivalentData) ?? [], at: date)
  }

  /// Returns whether the card of a track 2 has expired at a date: after the month of the track. A track of another form has
  /// not.
  static func isExpired(_ track2: [UInt8], at date: TransactionDate) -> Bool {
    guard let expiry = Track2EquivalentData(track2)?.expiry, let month = try? [UInt8](hex: expiry),
      let first = TransactionDate(numeric: month + [1])
    else { return false }
    return (first.year, first.month) < (date.year, date.month)
  }
}

/// The floor limit (EMV 4.4 Book 3, 10.6.1).
public enum FloorLimit {
  /// Returns whether a payment reaches the limit.
  ///
  /// - Parameters:
  ///   - amount: Tag 9F02, in minor units.
  ///   - last: The amount of the most recent approved payment of the same account number, in the same currency; nil when the log
  ///     has none. Earlier payments do not count.
  ///   - floor: Tag 9F1B, in minor units; nil for no limit.
  public static func isReached(_ amount: UInt64, afterLast last: UInt64?, floor: UInt64?) -> Bool {
    guard let floor else { return false }
    let (sum, overflows) = amount.addingReportingOverflow(last ?? 0)
    return overflows || sum >= floor
  }
}

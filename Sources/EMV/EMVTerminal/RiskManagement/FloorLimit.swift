/// The floor limit of a reader (EMV Contactless Book B v2.11, 3.1.1.6; kernel 2: tag DF8123), with the log of the terminal
/// (EMV 4.4 Book 3, 10.6.1).
public enum FloorLimit {
  /// Returns whether a payment is above the limit.
  ///
  /// - Parameters:
  ///   - amount: Tag 9F02, in minor units.
  ///   - last: The amount of the most recent approved payment of the same account number, in the same currency; nil when the log
  ///     has none. Earlier payments do not count.
  ///   - floor: In minor units; nil for no limit.
  public static func isExceeded(_ amount: UInt64, afterLast last: UInt64?, floor: UInt64?) -> Bool {
    guard let floor else { return false }
    let (sum, overflows) = amount.addingReportingOverflow(last ?? 0)
    return overflows || sum > floor
  }
}

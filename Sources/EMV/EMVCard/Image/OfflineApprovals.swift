/// Payments without the issuer (TC): how many, and the sum of their amounts.
public struct OfflineApprovals: Equatable, Sendable {
  /// No payment.
  public static let none = OfflineApprovals(count: 0, amount: 0)

  /// Their number.
  public let count: Int
  /// Their amounts together, in the smallest unit of the currency of `OfflineApproval`.
  public let amount: UInt64

  /// Creates a number and a sum. Both are limited to 0...9,223,372,036,854,775,807, which a store can hold.
  public init(count: Int, amount: UInt64) {
    self.count = max(count, 0)
    self.amount = min(amount, UInt64(Int.max))
  }

  /// Adds numbers and sums. A result above the limit is the limit.
  public static func + (left: OfflineApprovals, right: OfflineApprovals) -> OfflineApprovals {
    let (count, isTooLarge) = left.count.addingReportingOverflow(right.count)
    // Two values of 63 bits do not overflow 64 bits.
    return OfflineApprovals(count: isTooLarge ? .max : count, amount: left.amount + right.amount)
  }

  /// Adds numbers and sums.
  public static func += (left: inout OfflineApprovals, right: OfflineApprovals) { left = left + right }
}

/// What a payment changes in the offline approvals that are counted since the issuer was last authenticated.
public enum OfflineOutcome: Equatable, Sendable {
  /// Nothing: the card approved nothing by itself, and has not authenticated its issuer.
  case none
  /// The card has approved this amount without its issuer.
  case approved(UInt64)
  /// The card has authenticated its issuer, which knows of the payments before: the count starts again.
  case issuerAuthenticated
}

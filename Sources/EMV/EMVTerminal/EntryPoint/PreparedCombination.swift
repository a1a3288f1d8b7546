public import EMVData

/// A combination that takes a payment, with the qualifiers for it (EMV Contactless Book B v2.11, 3.1.1:
/// pre-processing).
public struct PreparedCombination: Hashable, Sendable {
  /// The combination.
  public let combination: Combination
  /// Tag 9F66 for this payment: what is wanted is set in byte 2.
  public let qualifiers: TerminalTransactionQualifiers
  /// Whether the amount asks for a verification of the cardholder: kernel 3 at the limit and above, kernel 2 above it.
  public let isVerificationRequired: Bool

  /// Prepares a combination for a payment.
  ///
  /// - Throws: `StepFailure` when this combination takes no such payment without contact (3.1.1.4, 3.1.1.5).
  public init(_ combination: Combination, for request: PaymentRequest) throws(StepFailure) {
    let amount = request.amount.minorUnits
    let limits = combination.limits[request.currency.numericCode] ?? Combination.Limits()
    if amount == 0, !combination.zeroAmountAllowed { throw StepFailure(.preprocessing, .zeroAmount) }
    if combination.kernel == 2 {
      // The kernel checks the limit that fits the card (tags DF8124 and DF8125); no card needs to come for an amount
      // above both.
      if let first = limits.transaction, let second = limits.transactionOnDevice, amount > max(first, second) {
        throw StepFailure(.preprocessing, .transactionLimit)
      }
      self.combination = combination
      qualifiers = []
      isVerificationRequired = limits.cvmRequired.map { amount > $0 } ?? false
      return
    }
    if let limit = limits.transaction, amount >= limit { throw StepFailure(.preprocessing, .transactionLimit) }
    // 3.1.1.2: what is wanted is decided anew for each payment.
    var qualifiers = combination.qualifiers
    qualifiers.subtract([.onlineCryptogramRequired, .cvmRequired])
    if Self.wantsOnlineCryptogram(combination, amount, limits, singleUnit: request.currency.singleUnit) {
      qualifiers.insert(.onlineCryptogramRequired)
    }
    // 3.1.1.8 and 3.1.1.12.
    if let limit = limits.cvmRequired, amount >= limit { qualifiers.insert(.cvmRequired) }
    self.combination = combination
    self.qualifiers = qualifiers
    isVerificationRequired = qualifiers.contains(.cvmRequired)
  }

  // 3.1.1.6 with 3.1.1.9: above the floor limit. 3.1.1.3 with 3.1.1.10: a status check is an amount of one unit.
  // 3.1.1.11: an amount of zero.
  private static func wantsOnlineCryptogram(
    _ combination: Combination, _ amount: UInt64, _ limits: Combination.Limits, singleUnit: UInt64
  ) -> Bool {
    if let floor = limits.floor, amount > floor { return true }
    return amount == 0 || combination.statusCheck && amount == singleUnit
  }
}

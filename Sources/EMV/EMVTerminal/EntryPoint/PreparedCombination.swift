internal import EMVData

/// A combination that takes a payment (EMV Contactless Book B v2.11, 3.1.1: pre-processing).
public struct PreparedCombination: Sendable {
  /// The combination.
  public let combination: Combination
  /// The data elements that the kernel adds to the terminal's for this payment, such as tag 9F66.
  public let data: TerminalData

  /// Prepares a combination for a payment.
  ///
  /// - Throws: `StepFailure` when the combination does not take the payment without contact (3.1.1.4, 3.1.1.5).
  public init(_ combination: Combination, for request: PaymentRequest) throws(StepFailure) {
    if request.amount.minorUnits == 0, !combination.zeroAmountAllowed {
      throw StepFailure(.preprocessing, .zeroAmount)
    }
    self.combination = combination
    data = try combination.kernel.prepare(request)
  }
}

public import EMVData
internal import Octets

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
    guard combination.takes(request.type) else { throw StepFailure(.preprocessing, .transactionType(request.type)) }
    if request.amount.minorUnits == 0, !combination.zeroAmountAllowed {
      throw StepFailure(.preprocessing, .zeroAmount)
    }
    self.combination = combination
    data = try combination.kernel.prepare(request)
  }

  /// Takes a combination without pre-processing, for autorun: the indicators of pre-processing are all zero. Nil when the
  /// combination does not take payments of this type.
  init?(withoutPreprocessing combination: Combination, for request: PaymentRequest) {
    guard combination.takes(request.type) else { return nil }
    self.combination = combination
    data = combination.kernel.dataWithoutPreprocessing(for: request)
  }
}

extension StepFailure.Code {
  /// The application is not for payments of this type: `transactionTypes` in its profile.
  public static func transactionType(_ type: TransactionType) -> Self {
    Self("transactionType", "the terminal does not take a \(type) (type \(type.rawValue.hex)) with this application")
  }
}

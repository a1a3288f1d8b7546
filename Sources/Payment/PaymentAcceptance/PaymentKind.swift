public import EMVData

/// What a payment at a terminal is for, by the names that users write.
public enum PaymentKind: String, CaseIterable, Sendable {
  /// Goods or services.
  case purchase
  /// Cash is paid out.
  case cash
  /// A purchase of which a part is paid out in cash.
  case cashback
  /// The amount goes back to the cardholder.
  case refund

  /// Tag 9C, the first two digits of the processing code of ISO 8583.
  public var type: TransactionType {
    switch self {
    case .purchase: .purchase
    case .cash: .cash
    case .cashback: .purchaseWithCashback
    case .refund: .refund
    }
  }
}

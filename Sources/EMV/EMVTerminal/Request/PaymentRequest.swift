public import EMVData

/// A payment as the till asks for it: amount, currency, type and time.
public struct PaymentRequest: Hashable, Sendable {
  /// Tag 9F02: the amount, cashback included.
  public let amount: Amount
  /// Tag 9F03: the part of the amount that is cashback, or nil.
  public let amountOther: Amount?
  /// The currency of both amounts.
  public let currency: Currency
  /// Tag 9C.
  public let type: TransactionType
  /// Tag 9A: the terminal's date.
  public let date: TransactionDate
  /// Tag 9F21: the terminal's time.
  public let time: TransactionTime

  /// Creates a request.
  public init(
    amount: Amount, currency: Currency, type: TransactionType = .purchase, date: TransactionDate,
    time: TransactionTime, amountOther: Amount? = nil
  ) {
    self.amount = amount
    self.amountOther = amountOther
    self.currency = currency
    self.type = type
    self.date = date
    self.time = time
  }
}

/// Why a terminal cannot take a request. It is thrown before a card is needed.
public enum PaymentRequestError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The terminal does not take the currency.
  case currencyNotTaken(String, taken: [String])
  /// An amount has another exponent than its currency.
  case exponentDiffers(Int, currency: Int)
  /// The cashback is more than the whole amount.
  case amountOtherTooLarge
  /// The terminal's profile does not say that it pays out cashback.
  case cashbackNotOffered
  /// A transaction of this type has no cashback.
  case cashbackNotOfType(TransactionType)

  /// A sentence with the value and the limit.
  public var description: String {
    switch self {
    case .currencyNotTaken(let code, let taken):
      "the terminal does not take \(code); it takes \(taken.joined(separator: ", "))"
    case .exponentDiffers(let exponent, let currency):
      "the amount has \(exponent) decimals, but its currency has \(currency)"
    case .amountOtherTooLarge: "the cashback is more than the whole amount"
    case .cashbackNotOffered:
      "the terminal pays out no cashback: byte 1 bit 5 of tag 9F40, additionalCapabilities in its profile, is not set"
    case .cashbackNotOfType(let type):
      "a transaction of type \(type) has no cashback; purchases have, types 00 and 09"
    }
  }
}

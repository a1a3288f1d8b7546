public import EMVData
public import EMVTerminal
public import Octets
public import Transcripts

/// A payment as a person or a file asks for it: amounts and currency as text.
public struct PaymentOrder: Sendable {
  /// The whole amount, cashback included, such as `12.34`.
  public var amount: String
  /// The part of the amount that is paid out in cash; nil for none.
  public var cashback: String?
  /// The currency's ISO 4217 number or letters, in either case.
  public var currency: String
  /// The type of the transaction; nil for a purchase, with cashback if there is one.
  public var type: TransactionType?
  /// The terminal's local date and time; nil for those of the machine.
  public var moment: TransactionMoment?

  /// Creates an order.
  public init(
    amount: String, cashback: String? = nil, currency: String, type: TransactionType? = nil,
    moment: TransactionMoment? = nil
  ) {
    self.amount = amount
    self.cashback = cashback
    self.currency = currency
    self.type = type
    self.moment = moment
  }

  /// The request, with the currencies of a terminal.
  ///
  /// - Throws: `PaymentOrderError` for an amount, a currency or a cashback that the terminal cannot take,
  ///   and for a machine whose clock is outside 1970...2049.
  public func request(at configuration: TerminalConfiguration) throws(PaymentOrderError) -> PaymentRequest {
    guard let known = configuration.currency(currency.uppercased()) else {
      throw .currency(currency, taken: configuration.currencies.map { "\($0.numericCode) (\($0.alphabeticCode))" })
    }
    let moment = if let moment { moment } else { try TransactionMoment.now() }
    let request = PaymentRequest(
      amount: try whole(exponent: known.exponent), currency: known,
      type: type ?? (cashback == nil ? .purchase : .purchaseWithCashback), date: moment.date, time: moment.time,
      amountOther: try amountOther(exponent: known.exponent))
    if request.type == .purchaseWithCashback, cashback == nil {
      throw .cashback("a payment of type cashback needs the part that is paid out")
    }
    do throws(PaymentRequestError) {
      try request.check(against: configuration)
    } catch { throw .cashback("\(error)") }
    return request
  }

  private func whole(exponent: Int) throws(PaymentOrderError) -> Amount {
    do throws(Amount.Fault) {
      return try Amount(amount, exponent: exponent)
    } catch { throw .amount(error) }
  }

  private func amountOther(exponent: Int) throws(PaymentOrderError) -> Amount? {
    guard let cashback else { return nil }
    let amount: Amount
    do throws(Amount.Fault) {
      amount = try Amount(cashback, exponent: exponent)
    } catch { throw .cashback("\(error)") }
    guard amount.minorUnits > 0 else { throw .cashback("the cashback is \(amount): leave it out") }
    return amount
  }
}

/// Why a terminal cannot take an order.
public enum PaymentOrderError: Error, Sendable, CustomStringConvertible {
  /// The text is no amount of the currency.
  case amount(Amount.Fault)
  /// The terminal does not take the currency; with those that it takes.
  case currency(String, taken: [String])
  /// The cashback is impossible, with the reason as a sentence.
  case cashback(String)
  /// The machine's clock gives no date for a transaction.
  case clock(ClockError)

  /// A sentence.
  public var description: String {
    switch self {
    case .amount(let fault): "\(fault)"
    case .currency(let text, let taken):
      "the terminal does not take currency \"\(text)\"; it takes \(taken.joined(separator: ", "))"
    case .cashback(let reason): "cashback: \(reason)"
    case .clock(let error): "\(error)"
    }
  }
}

extension TransactionMoment {
  /// The present date and time in the local time zone.
  ///
  /// - Throws: `PaymentOrderError.clock` for a machine whose clock is outside 1970...2049.
  public static func now() throws(PaymentOrderError) -> TransactionMoment {
    do throws(ClockError) {
      let now = try SystemWallClock().checkedNow()
      // East of Greenwich, 2050 begins before it does in UTC.
      guard let moment = TransactionMoment(CalendarTime(local: now)) else { throw ClockError(shown: now) }
      return moment
    } catch { throw .clock(error) }
  }
}

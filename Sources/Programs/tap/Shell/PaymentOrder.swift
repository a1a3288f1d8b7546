import EMVData
import EMVTerminal
import Foundation
import Transcripts

/// Why a cashback is refused.
struct CashbackError: Error, CustomStringConvertible {
  let reason: String

  var description: String { "cashback: \(reason)" }
}

/// What a person asks a terminal for, as text.
struct PaymentOrder: Sendable {
  /// The whole amount, cashback included.
  let amount: String
  /// The part of the amount that is paid out in cash; nil for none.
  var cashback: String?
  let currency: String
  /// nil for a purchase, with cashback if there is one.
  var type: TransactionType?
  /// The terminal's local time.
  var moment: TransactionMoment

  /// The present moment in the local time zone.
  static func now() -> TransactionMoment {
    let parts = Calendar(identifier: .gregorian).dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: Date())
    guard let date = TransactionDate(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0),
      let moment = TransactionMoment(
        date: date, hour: parts.hour ?? 0, minute: parts.minute ?? 0, second: min(parts.second ?? 0, 59))
    else { preconditionFailure("the machine's clock is outside 1950...2049") }
    return moment
  }

  /// The request, by a terminal's currencies.
  ///
  /// - Throws: A sentence about the amount or the currency; a `CashbackError` about the cashback.
  func request(at configuration: TerminalConfiguration) throws -> PaymentRequest {
    guard let known = configuration.currency(currency.uppercased()) else {
      let taken = configuration.currencies.map { "\($0.numericCode) (\($0.alphabeticCode))" }
      throw FileError(
        description: "the terminal does not take currency \"\(currency)\"; it takes \(taken.joined(separator: ", "))")
    }
    guard let time = TransactionTime(hour: moment.hour, minute: moment.minute, second: moment.second) else {
      preconditionFailure("a transaction moment has a time of day")
    }
    let request = PaymentRequest(
      amount: try Amount(amount, exponent: known.exponent), currency: known,
      type: type ?? (cashback == nil ? .purchase : .purchaseWithCashback), date: moment.date, time: time,
      amountOther: try amountOther(exponent: known.exponent))
    do throws(PaymentRequestError) {
      try request.check(against: configuration)
    } catch { throw CashbackError(reason: "\(error)") }
    return request
  }

  private func amountOther(exponent: Int) throws(CashbackError) -> Amount? {
    guard let cashback else { return nil }
    let amount: Amount
    do throws(Amount.Fault) {
      amount = try Amount(cashback, exponent: exponent)
    } catch { throw CashbackError(reason: "\(error)") }
    guard amount.minorUnits > 0 else { throw CashbackError(reason: "\(amount) is none: leave it out") }
    return amount
  }
}

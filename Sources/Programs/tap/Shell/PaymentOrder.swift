import EMVData
import EMVTerminal
import Foundation
import Transcripts

/// What a person asks a terminal for, as text.
struct PaymentOrder: Sendable {
  let amount: String
  let currency: String
  var type = TransactionType.purchase
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
  /// - Throws: A sentence about the amount or the currency.
  func request(at configuration: TerminalConfiguration) throws -> PaymentRequest {
    guard let known = configuration.currency(currency) else {
      let taken = configuration.currencies.map { "\($0.numericCode) (\($0.alphabeticCode))" }
      throw FileError(
        description: "the terminal does not take currency \"\(currency)\"; it takes \(taken.joined(separator: ", "))")
    }
    guard let time = TransactionTime(hour: moment.hour, minute: moment.minute, second: moment.second) else {
      preconditionFailure("a transaction moment has a time of day")
    }
    return PaymentRequest(
      amount: try Amount(amount, exponent: known.exponent), currency: known, type: type, date: moment.date, time: time)
  }
}

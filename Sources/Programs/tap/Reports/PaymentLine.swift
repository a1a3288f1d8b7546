import ContactlessPayment
import EMVData
import Octets
import ProgramSupport

/// One payment of `tap present`, as a line.
struct PaymentLine {
  private let payment: Int
  private let event: String
  /// The name of the error that ended the payment.
  private var error: String?
  /// The sentence of `error`, why a card that is not armed refused, or what a recording answered.
  private var message: String?
  private var completed: TransactionContext?
  /// The uses that earlier cryptograms of this payment have spent, and with an error all of them.
  private var spent: [TransactionContext] = []

  init(_ payment: Int, event: String, message: String) {
    (self.payment, self.event, self.message) = (payment, event, message)
  }

  /// The line of an event that ends a payment; nil for any other.
  init?(_ payment: Int, _ event: ContactlessPaymentSession.Event) {
    self.payment = payment
    switch event {
    case .transactionCompleted(let context):
      self.event = "transactionCompleted"
      (completed, spent) = (context, context.interruptedPayments)
    case .errorEncountered(let error, let uses):
      self.event = "errorEncountered"
      (self.error, message, spent) = (error.name, "\(error)", uses)
    case .authenticationRequired, .authenticationCompleted, .posConnected, .posDisconnected: return nil
    }
  }

  /// Prints the line. An error goes to standard error when results are printed as text.
  func print(as format: OutputFormat) throws {
    guard format == .text else { return try Console.print(json: json) }
    if error == nil { Console.print(text) } else { Console.note("error: \(text)") }
    for use in spent {
      Console.note("payment \(payment): spent in an interrupted tap: \(use.aid), \(use.cryptogramText)")
    }
  }

  private var json: JSONObject {
    JSONObject(
      [
        ("payment", payment), ("event", event), ("error", error.map { JSONObject.failure($0, message ?? "") }),
        ("message", message), ("amount", completed?.amount.map { "\($0)" }), ("currency", completed?.currency),
        ("currencyLetters", completed?.currencyLetters), ("date", completed?.date.map { "\($0)" }),
        ("type", completed?.type.map { "\($0)" }),
        ("spent", spent.isEmpty ? nil : spent.map { JSONObject($0.useMembers) }),
      ] + (completed?.useMembers ?? []))
  }

  private var text: String {
    guard let completed else { return "payment \(payment): \(error ?? event): \(message ?? "")" }
    let amount = completed.amount.map { "\($0) \(completed.currencyLetters ?? "")" }
    let parts = [amount, "\(completed.aid)", completed.cryptogramText].compactMap(\.self)
    return "payment \(payment): completed, " + parts.joined(separator: ", ")
  }
}

extension TransactionContext {
  /// The three digits of ISO 4217.
  fileprivate var currency: String? { currencyCode.isEmpty ? nil : String(currencyCode.hex.suffix(3)) }
  fileprivate var currencyLetters: String? { currency.flatMap { Int($0) }.map(CurrencyCode.letters) }
  fileprivate var cryptogramText: String { "ATC \(transactionCounter), cryptogram \(cryptogram.hex)" }

  /// The use of the card whose cryptogram left the device.
  fileprivate var useMembers: [(key: String, value: (any Encodable)?)] {
    [
      ("card", digitalCardID), ("aid", "\(aid)"), ("transactionCounter", transactionCounter),
      ("cryptogram", cryptogram.hex),
    ]
  }
}

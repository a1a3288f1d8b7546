import ContactlessPayment
import EMVData
import Octets
import ProgramSupport

/// One payment of `tap present`, as a line.
struct PaymentLine: Encodable {
  let payment: Int
  let event: String
  var error: TapReport.Failure?
  /// The sentence of `error`, why a card that is not armed refused, or what a recording answered.
  var message: String?
  var card: String?
  var aid: String?
  var amount: String?
  var currency: String?
  var currencyLetters: String?
  var date: String?
  var type: String?
  var transactionCounter: UInt16?
  var cryptogram: String?
  /// The uses that earlier cryptograms of this payment have spent, and with an error all of them.
  var spent: [SpentUse]?

  init(_ payment: Int, event: String, error: TapReport.Failure? = nil, message: String? = nil) {
    self.payment = payment
    self.event = event
    self.error = error
    self.message = message ?? error?.message
  }

  /// The line of an event that ends a payment; nil for any other.
  init?(_ payment: Int, _ event: ContactlessPaymentSession.Event) {
    switch event {
    case .transactionCompleted(let context): self.init(payment, context)
    case .errorEncountered(let error, let uses):
      self.init(payment, event: "errorEncountered", error: .init(code: error.name, message: "\(error)"))
      spent = uses.isEmpty ? nil : uses.map(SpentUse.init)
    case .authenticationRequired, .authenticationCompleted, .posConnected, .posDisconnected: return nil
    }
  }

  private init(_ payment: Int, _ context: TransactionContext) {
    self.init(payment, event: "transactionCompleted")
    card = context.digitalCardID
    aid = "\(context.aid)"
    amount = context.amount.map { "\($0)" }
    currency = context.currencyCode.isEmpty ? nil : String(context.currencyCode.hex.suffix(3))
    currencyLetters = currency.flatMap { Int($0) }.map(CurrencyCode.letters)
    date = context.date.map { "\($0)" }
    type = context.type.map { "\($0)" }
    transactionCounter = context.transactionCounter
    cryptogram = context.cryptogram.hex
    let earlier = context.interruptedPayments
    spent = earlier.isEmpty ? nil : earlier.map(SpentUse.init)
  }

  /// Prints the line. An error goes to standard error when results are printed as text.
  func print(as format: OutputFormat) throws {
    switch format {
    case .json: try Console.print(json: self)
    case .text where error != nil: Console.note("error: \(text)")
    case .text: Console.print(text)
    }
    guard format == .text else { return }
    for use in spent ?? [] { Console.note("payment \(payment): \(use.text)") }
  }

  /// The line of text.
  private var text: String {
    if let message { return "payment \(payment): \(error?.code ?? event): \(message)" }
    let parts = [
      amount.map { "\($0) \(currencyLetters ?? "")" }, aid, transactionCounter.map { "ATC \($0)" },
      cryptogram.map { "cryptogram \($0)" },
    ]
    return "payment \(payment): completed, " + parts.compactMap(\.self).joined(separator: ", ")
  }
}

/// A use whose cryptogram left the device although its payment did not complete.
struct SpentUse: Encodable {
  let card: String
  let aid: String
  let transactionCounter: UInt16
  let cryptogram: String

  init(_ context: TransactionContext) {
    card = context.digitalCardID
    aid = "\(context.aid)"
    transactionCounter = context.transactionCounter
    cryptogram = context.cryptogram.hex
  }

  /// The clause of text.
  var text: String { "spent in an interrupted tap: \(aid), ATC \(transactionCounter), cryptogram \(cryptogram)" }
}

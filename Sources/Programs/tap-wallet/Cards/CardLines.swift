import AccessMessages
import ContactlessPayment
import Documents
import EMVCard
import EMVData
import FIDOUAF
import JSON
import Octets
import ProgramSupport

extension DigitalCard {
  /// The card as members of an event, without its account number.
  func members(_ entry: CardEntry?) -> [(String, JSONValue?)] {
    [
      ("card", JSONValue(id)), ("name", JSONValue(image.name)), ("state", JSONValue(state.rawValue)),
      ("default", JSONValue(isDefault)), ("lastDigits", entry.map { JSONValue($0.lastDigits) }),
      ("paymentsLeft", JSONValue(paymentsLeft)), ("threshold", JSONValue(replenishmentThreshold)),
      ("issuer", issuer.map { JSONValue($0) }),
    ]
  }

  /// The card as a line for people.
  func line(_ entry: CardEntry?) -> String {
    let digits = entry.map { " ending with \($0.lastDigits)" } ?? ""
    let block = cardState.isBlockedByIssuer && state != .retired ? ", blocked by its issuer" : ""
    return
      "\(id): \(image.name.visible())\(digits), \(state.rawValue)\(block)\(isDefault ? ", default" : ""), payments left: \(paymentsLeft)"
  }
}

extension CardPayments.Entry {
  /// The payment as members of an event.
  func members(_ card: CardEntry) -> [(String, JSONValue?)] {
    [("card", JSONValue(card.id)), ("lastDigits", JSONValue(card.lastDigits))] + members
  }

  /// The payment as a line for people.
  func line(_ card: CardEntry) -> String {
    let result = isApproved ? "approved" : "declined (\(responseCode))"
    return "\(at.moment)  card ending with \(card.lastDigits): \(amountText), ATC \(counter), \(result)"
  }

  /// The amount with its currency, such as `12.34 EUR`.
  private var amountText: String {
    let exponent = currencyExponent(numericCode: currency)
    let value = UInt64(exactly: amount).flatMap { Amount(minorUnits: $0, exponent: exponent) }
    return "\(value.map { "\($0)" } ?? String(amount)) \(CurrencyCode.letters(numericCode: currency))"
  }
}

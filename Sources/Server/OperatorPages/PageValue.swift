internal import DisplayText
internal import AccessMessages
internal import EMVData
internal import Octets
internal import ServerStore

/// Values in words.
enum PageValue {
  /// A moment in UTC.
  static func moment(_ milliseconds: Int64) -> HTML {
    // The last second of the year 9999 is the last that a calendar time has.
    let seconds = min(max(milliseconds / 1_000, 0), 253_402_300_799)
    let time = CalendarTime(utc: WallTime(seconds: seconds))
    return "<time>\("\(time)".replacing("T", with: " ")) UTC</time>"
  }

  /// Whether something may be used.
  static func state(_ name: String) -> HTML {
    "<span class=\"\(name == DispatchTargetRecord.State.active.rawValue ? "good" : "bad")\">\(name)</span>"
  }

  /// A code in words: `device unlinked` for `deviceUnlinked`.
  static func words(_ code: String) -> String {
    code.reduce(into: "") { text, character in
      text += character.isUppercase && !text.isEmpty ? " \(character.lowercased())" : String(character)
    }
  }

  /// A response code of ISO 8583 in words, with the code; an unknown code alone.
  static func responseCode(_ code: String) -> String {
    AuthorisationResponseCode.meaning(octets: Array(code.utf8)).map { "\($0) (\(code))" } ?? "code \(code)"
  }

  /// The command of an order, with the tag of PUT DATA.
  static func command(_ order: CardScriptRecord) -> String {
    order.command == .putData ? "\(order.command.name) \(order.subject)" : order.command.name
  }

  /// How often an order was sent.
  static func sent(_ order: CardScriptRecord) -> HTML {
    order.sentAt.map { "sent \(order.sent.counted("time")), last \(moment($0))" } ?? "not sent yet"
  }

  /// An amount with its currency, such as `12.34 EUR`.
  static func amount(_ amount: Int64, currency: Int) -> HTML {
    let exponent = currencyExponent(numericCode: currency)
    let value = UInt64(exactly: amount).flatMap { Amount(minorUnits: $0, exponent: exponent) }
    return "\(value.map { "\($0)" } ?? String(amount)) \(CurrencyCode.letters(numericCode: currency))"
  }
}

extension CardScript.Command {
  /// The name of the command in EMV 4.4 Book 3, 6.5.
  var name: String {
    switch self {
    case .blockApplication: "APPLICATION BLOCK"
    case .unblockApplication: "APPLICATION UNBLOCK"
    case .blockCard: "CARD BLOCK"
    case .putData: "PUT DATA"
    }
  }
}

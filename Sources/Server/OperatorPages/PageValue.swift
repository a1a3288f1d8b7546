internal import DisplayText
internal import EMVData
internal import Octets
internal import ServerStore

/// Values as people read them.
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

  /// An amount with its currency, such as `12.34 EUR`.
  static func amount(_ amount: Int64, currency: Int) -> HTML {
    let exponent = currencyExponent(numericCode: currency)
    let value = UInt64(exactly: amount).flatMap { Amount(minorUnits: $0, exponent: exponent) }
    return "\(value.map { "\($0)" } ?? String(amount)) \(CurrencyCode.letters(numericCode: currency))"
  }
}

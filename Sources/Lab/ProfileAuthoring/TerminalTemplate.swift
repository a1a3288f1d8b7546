internal import EMVData
public import JSON

/// A new terminal profile: that of a known terminal, with values of the user.
public struct TerminalTemplate: Sendable {
  /// A currency that ISO 4217 does not list.
  public struct UnknownCurrency: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text of the user.
    public let text: String

    /// A sentence.
    public var description: String {
      "\"\(text)\" is not a currency of ISO 4217: a number such as 978 or letters such as EUR are needed"
    }
  }

  private let profile: JSONValue

  /// Takes the profile of a known terminal.
  ///
  /// - Throws: `JSONError` for a malformed profile.
  public init(_ json: [UInt8]) throws(JSONError) { profile = try JSONValue(parsing: json) }

  /// The profile with other values at some paths; a value that is nil stays as it is.
  public func profile(
    setting values: [(path: String, value: String?)], currencies: [String]
  ) throws(UnknownCurrency) -> JSONValue {
    var changed = profile
    for (path, value) in values {
      if let value { changed = changed.setting(path, to: JSONValue(value)) }
    }
    return currencies.isEmpty ? changed : try changed.taking(currencies.map(Self.currency))
  }

  /// The entry of a currency in a profile.
  private static func currency(_ text: String) throws(UnknownCurrency) -> JSONValue {
    guard let number = CurrencyCode.numericCode(of: text) else { throw UnknownCurrency(text: text) }
    let digits = String(number)
    return [
      "code": JSONValue(String(repeating: "0", count: 3 - digits.count) + digits),
      "name": JSONValue(CurrencyCode.letters(numericCode: number)),
      "exponent": JSONValue(currencyExponent(numericCode: number)),
    ]
  }
}

extension JSONValue {
  /// The terminal with other currencies. A currency that it had keeps its limits, and a new one gets the numbers of the first.
  fileprivate func taking(_ currencies: [JSONValue]) -> JSONValue {
    var changed = setting("currencies", to: JSONValue(currencies))
    for (index, application) in (self["applications"]?.list ?? []).enumerated() {
      let limits = application["limits"]?.list ?? []
      let others = currencies.compactMap { currency in
        limits.first { $0["currency"]?.text == currency["name"]?.text } ?? limits.first?.limits(in: currency)
      }
      changed = changed.setting("applications[\(index)].limits", to: JSONValue(others))
    }
    return changed
  }

  /// The same limits in another currency, with as many decimals as that has.
  private func limits(in currency: JSONValue) -> JSONValue {
    let exponent = currency["exponent"]?.integer ?? 0
    return JSONValue(
      members: (members ?? []).map { member in
        guard member.key != "currency", let amount = member.value.text else { return ("currency", currency["name"]) }
        let parts = amount.split(separator: ".")
        let decimal = parts.count == 2 ? parts[1].suffix(1) : "0"
        let decimals = String(repeating: String(decimal), count: exponent)
        return (member.key, JSONValue(parts[0] + (exponent == 0 ? "" : "." + decimals)))
      })
  }
}

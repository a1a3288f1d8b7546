internal import EMVData
internal import EMVTerminal
internal import JSON
internal import Octets
internal import Transcripts

/// The terminal of a recording without a terminal profile: another profile with the values that the recorded terminal
/// sent to the card.
struct RecordedTerminalProfile {
  let data: RecordedTerminalData
  /// The other profile.
  let profile: [UInt8]

  /// Returns the terminal.
  ///
  /// - Throws: The errors of a profile: this build cannot be such a terminal.
  func configuration() throws -> TerminalConfiguration {
    var profile = try JSONValue(parsing: profile).setting("name", to: "recorded")
    func set(_ key: String, _ text: String?) {
      if let text { profile = profile.setting(key, to: JSONValue(text)) }
    }
    set("countryCode", data[.terminalCountryCode].map(Self.digits))
    set("terminalType", data[.terminalType]?.hex)
    set("capabilities", data[.terminalCapabilities]?.hex)
    set("additionalCapabilities", data[.additionalTerminalCapabilities]?.hex)
    set("merchant.name", data[.merchantNameAndLocation].flatMap(Self.text))
    if let code = data[.transactionCurrencyCode].map(Self.digits) { profile = takingOnly(code, profile) }
    return try TerminalConfiguration(profile)
  }

  /// The tags of recorded values that no profile can have: a merchant name that is not text.
  var unsupportedTags: [String] {
    guard let name = data[.merchantNameAndLocation], Self.text(name) == nil else { return [] }
    return ["9F4E"]
  }

  /// Returns the profile with one currency, and with limits that give the recorded qualifiers: what the terminal
  /// required is required at every amount, and nothing else at any amount (EMV Contactless Book B v2.11, 3.1.1). Each
  /// kernel adds its own keys.
  private func takingOnly(_ code: String, _ profile: JSONValue) -> JSONValue {
    let currencies = profile["currencies"]?.list ?? []
    let known = currencies.first { $0["code"]?.text == code }
    let currency =
      known ?? [
        "code": JSONValue(code), "name": "XXX", "exponent": JSONValue(currencyExponent(numericCode: Int(code) ?? 0)),
      ]
    let recorded = data[.terminalTransactionQualifiers].flatMap { TerminalTransactionQualifiers(octets: $0) }
    let applications = (profile["applications"]?.list ?? []).map { application in
      guard let limits = application["limits"]?.list?.first else { return application }
      let required: JSONValue? = recorded?.contains(.cvmRequired) == true ? "0" : nil
      let online: JSONValue? = recorded?.contains(.onlineCryptogramRequired) == true ? "0" : nil
      let changed = limits.setting("currency", to: currency["name"]).setting("transaction", to: nil)
        .setting("cvmRequired", to: required).setting("floor", to: online)
      let kernel = TerminalConfiguration.kernels.first { $0.identifier.number == application["kernel"]?.integer }
      return (kernel?.recordedMembers { data[$0] } ?? []).reduce(application.setting("limits", to: [changed])) {
        $0.setting($1.key, to: $1.value)
      }
    }
    return profile.setting("currencies", to: [currency]).setting("applications", to: JSONValue(applications))
  }

  private static func digits(_ code: [UInt8]) -> String { String(code.hex.suffix(3)) }

  /// Returns the text of a value without the zeros that fill it; nil when the value is not text.
  private static func text(_ value: [UInt8]) -> String? {
    let text = Array(value.reversed().drop { $0 == 0 }.reversed())
    guard !text.isEmpty, text.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }
}

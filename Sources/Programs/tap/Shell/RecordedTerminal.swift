import EMVData
import EMVTerminal
import Octets
import Transcripts

/// The terminal of a recording that keeps no profile: the shipped one with what the recorded terminal told the card.
struct RecordedTerminal {
  let data: RecordedTerminalData

  /// The profile.
  ///
  /// - Throws: `TerminalProfileError` when what was recorded is no terminal that this build can be.
  func configuration() throws -> TerminalConfiguration {
    var profile = try TerminalProfile(json: ShippedTerminal.profile)
    profile.name = "recorded"
    if let country = data[.terminalCountryCode] { profile.countryCode = Self.digits(country) }
    if let type = data[.terminalType] { profile.terminalType = type.hex }
    if let capabilities = data[.terminalCapabilities] { profile.capabilities = capabilities.hex }
    if let more = data[.additionalTerminalCapabilities] { profile.additionalCapabilities = more.hex }
    if let name = data[.merchantNameAndLocation].flatMap(Self.text) { profile.merchant.name = name }
    if let code = data[.transactionCurrencyCode].map(Self.digits) { takeOnly(code, in: &profile) }
    return try TerminalConfiguration(profile)
  }

  /// Elements of the recorded commands that no profile of ours can say: a merchant without a name.
  var unsayable: [String] {
    guard let name = data[.merchantNameAndLocation], Self.text(name) == nil else { return [] }
    return ["9F4E"]
  }

  /// One currency with limits that lead to the recorded qualifiers: whatever was wanted is wanted at every amount, and
  /// whatever was not never is (Book B, 3.1.1).
  private func takeOnly(_ code: String, in profile: inout TerminalProfile) {
    guard var currency = profile.currencies.first(where: { $0.code == code }) ?? profile.currencies.first else {
      return
    }
    if currency.code != code {
      currency.code = code
      currency.name = "XXX"
      currency.exponent = currencyExponent(numericCode: Int(code) ?? 0)
    }
    profile.currencies = [currency]
    let recorded = data[.terminalTransactionQualifiers].flatMap { TerminalTransactionQualifiers(octets: $0) }
    for index in profile.applications.indices {
      guard var limits = profile.applications[index].limits.first else { continue }
      limits.currency = currency.name
      limits.transaction = nil
      limits.cvmRequired = recorded?.contains(.cvmRequired) == true ? "0" : nil
      limits.floor = recorded?.contains(.onlineCryptogramRequired) == true ? "0" : nil
      profile.applications[index].limits = [limits]
      guard profile.applications[index].kernel == 3, let recorded else { continue }
      profile.applications[index].qualifiers = recorded.rawValue.hex
    }
  }

  private static func digits(_ code: [UInt8]) -> String { String(code.hex.suffix(3)) }

  /// The text of a value without the zeros that fill it; nil for none, or for what is no text.
  private static func text(_ value: [UInt8]) -> String? {
    let text = Array(value.reversed().drop { $0 == 0 }.reversed())
    guard !text.isEmpty, text.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }
}

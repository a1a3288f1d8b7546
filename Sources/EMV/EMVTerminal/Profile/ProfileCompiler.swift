internal import EMVData
internal import ISO7816
internal import Octets

// Turns a profile into a configuration and notes every problem on the way. Where a value is wrong, something stands
// in for it, so that the next value can be checked too.
struct ProfileCompiler {
  typealias Problem = TerminalProfileError.Problem

  var problems: [Problem] = []

  static func compile(_ profile: TerminalProfile) -> (configuration: TerminalConfiguration, problems: [Problem]) {
    var compiler = ProfileCompiler()
    let data = compiler.terminalData(profile)
    let currencies = compiler.currencies(profile.currencies)
    let combinations = compiler.combinations(profile.applications, currencies)
    let configuration = TerminalConfiguration(
      name: profile.name, currencies: currencies, combinations: combinations, terminalData: data)
    return (configuration, compiler.problems)
  }

  mutating func note(_ path: String, _ reason: String) {
    problems.append(Problem(path: path, reason: reason))
  }

  // The terminal's own data elements, as a card may ask for them and a host gets them.
  private mutating func terminalData(_ profile: TerminalProfile) -> [Tag: [UInt8]] {
    if profile.name.isEmpty { note("$.name", "a name is needed") }
    var data: [Tag: [UInt8]] = [
      .terminalCountryCode: digits(profile.countryCode, 3, "$.countryCode"),
      .terminalType: digits(profile.terminalType, 2, "$.terminalType"),
      .terminalCapabilities: octets(profile.capabilities, 3, "$.capabilities"),
      .merchantCategoryCode: digits(profile.merchant.categoryCode, 4, "$.merchant.categoryCode"),
      .merchantNameAndLocation: text(profile.merchant.name, 1...40, "$.merchant.name"),
      .pointOfServiceEntryMode: [pointOfServiceEntryMode],
    ]
    if let capabilities = profile.additionalCapabilities {
      data[.additionalTerminalCapabilities] = octets(capabilities, 5, "$.additionalCapabilities")
    }
    if let identifier = profile.merchant.identifier {
      data[.merchantIdentifier] = text(identifier, 15...15, "$.merchant.identifier")
    }
    if let identifier = profile.merchant.terminalIdentifier {
      data[.terminalIdentification] = text(identifier, 8...8, "$.merchant.terminalIdentifier")
    }
    return data
  }

  // 07: contactless, chip data (ISO 8583:1987, field 22, as Book C-3 sets it for EMV mode).
  private var pointOfServiceEntryMode: UInt8 { 0x07 }

  mutating func digits(_ text: String, _ count: Int, _ path: String) -> [UInt8] {
    guard text.utf8.count == count, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt64(text)
    else {
      note(path, "\"\(text)\" is not \(count) decimal digits")
      return []
    }
    return BinaryCodedDecimal.octets(of: value, count: (count + 1) / 2) ?? []
  }

  mutating func octets(_ text: String, _ count: Int, _ path: String) -> [UInt8] {
    guard let octets = try? [UInt8](hex: text), octets.count == count else {
      note(path, "\"\(text)\" is not \(count) octets in hexadecimal")
      return [UInt8](repeating: 0, count: count)
    }
    return octets
  }

  mutating func text(_ text: String, _ counts: ClosedRange<Int>, _ path: String) -> [UInt8] {
    let octets = Array(text.utf8)
    guard counts.contains(octets.count), octets.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      let range = counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
      note(path, "\"\(text)\" is not \(range) printable characters of ASCII")
      return []
    }
    return octets
  }
}

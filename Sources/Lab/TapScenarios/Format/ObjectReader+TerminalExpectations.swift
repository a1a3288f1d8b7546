internal import Documents
internal import EMVData
internal import EMVTerminal
internal import ISO7816
internal import JSON

extension ObjectReader {
  /// The elements whose value the person at the terminal, or the day, gives.
  private static let enteredTags: [Tag] = [0x9F02, 0x9F03, 0x5F2A, 0x9A, 0x9C]

  /// What a terminal must do.
  mutating func terminalExpectations() -> TerminalExpectations {
    var expectations = TerminalExpectations()
    expectations.sequence = steps("commands")
    expectations.exchangeCount = counts("exchanges")
    expectations.presentations = counts("presentations")
    expectations.applications = each("applications") { $2.octets($0, at: $1, 5...16) }
    expectations.rules = each("rules") { $2.named($0, at: $1) }
    expectations.forms = forms("bytes")
    readSentElements("tags", into: &expectations)
    expectations.fresh = each("fresh") { $2.tag($0, at: $1) }
    expectations.shown = each("shown") { $2.named($0, at: $1) }
    (expectations.budgets, expectations.wholeTap) = budgets("milliseconds")
    return expectations
  }

  /// `SELECT PPSE`, `[GENERATE AC, READ RECORD]` for alternatives, `{READ RECORD: {least: 1, most: 4}}` for a number.
  private mutating func steps(_ key: String) -> [TerminalExpectations.Step] {
    let steps: [TerminalExpectations.Step]? = read(key, isRequired: false, expected: "a list of commands") {
      value, reader in
      guard let list = value.list else { return nil }
      if list.isEmpty { reader.note(key, "the list is empty: leave the key out when nothing is expected") }
      return list.enumerated().compactMap { reader.step($1, at: "\(key)[\($0)]") }
    }
    return steps ?? []
  }

  private mutating func step(_ value: JSONValue, at place: String) -> TerminalExpectations.Step? {
    guard let members = value.members else {
      let names = each(value, at: place) { $2.commandName($0, at: $1) }
      return names.isEmpty ? nil : .init(names: names, counts: 1...1)
    }
    guard let member = members.first, members.count == 1 else {
      note(place, "one command with its number is needed")
      return nil
    }
    let name = commandName(JSONValue(member.key), at: "\(place).\(member.key)")
    let counts = object(value, at: place) { $0.counts(member.key) }
    guard let name, let counts else { return nil }
    return .init(names: [name], counts: counts)
  }

  private mutating func commandName(_ value: JSONValue, at place: String) -> String? {
    let names = CommandSelector.phases(of: TerminalConfiguration.kernels).map(\.rawValue) + TestedCommand.furtherNames
    return named(
      value, at: place, of: names.map { ($0, $0) } + [("GPO", TransactionPhase.processingOptions.rawValue)])
  }

  private mutating func forms(_ key: String) -> [TerminalExpectations.Form] {
    pairs(key, of: "commands").compactMap { key, value, place in
      guard let commands = commands(key, at: place), let pattern = pattern(value, at: place) else { return nil }
      return .init(commands: commands, pattern: pattern)
    }
  }

  private mutating func pattern(_ value: JSONValue, at place: String) -> String? {
    if let text = scalar(value) {
      let digits = text.filter { !$0.isWhitespace }.uppercased()
      let octets = stride(from: 0, to: digits.count, by: 2).map { String(digits.dropFirst($0).prefix(2)) }
      let isRight = octets.allSatisfy { $0 == "XX" || ($0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit)) }
      if !octets.isEmpty, isRight { return digits }
    }
    refuse(place, "\(found(value)) is no pattern of bytes: two hexadecimal digits or xx for each byte")
    return nil
  }

  mutating func tag(_ value: JSONValue, at place: String) -> Tag? {
    if let tag = scalar(value).flatMap({ DataElement.tag(named: $0) }) { return tag }
    refuse(place, "no such data element: a tag such as 9F27, a short name such as TVR, or a name of the books")
    return nil
  }

  private mutating func readSentElements(_ key: String, into expectations: inout TerminalExpectations) {
    for (key, value, place) in pairs(key, of: "data elements") {
      switch scalar(value) {
      case "configured":
        expectations.isConfigured = true
        if DataElement.tag(named: key) != .terminalTransactionQualifiers {
          note(place, "\"configured\" is understood for 9F66")
        }
      case "entered":
        if let tag = DataElement.tag(named: key), Self.enteredTags.contains(tag) {
          expectations.entered.append(tag)
        } else {
          note(place, "\"entered\" is understood for \(Self.enteredTags.map(\.description).joined(separator: ", "))")
        }
      default: expectations.elements += elements(key, value, at: place)
      }
    }
  }
}

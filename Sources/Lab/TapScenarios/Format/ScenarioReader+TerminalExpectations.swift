internal import EMVData
internal import EMVTerminal
internal import ISO7816

extension ScenarioReader {
  private static let terminalKeys = [
    "commands", "exchanges", "presentations", "applications", "rules", "bytes", "tags", "fresh", "shown",
    "milliseconds",
  ]
  /// The elements whose value the person at the terminal, or the day, gives.
  private static let enteredTags: [Tag] = [0x9F02, 0x9F03, 0x5F2A, 0x9A, 0x9C]

  /// What a terminal must do.
  mutating func terminalExpectations(_ node: ScenarioNode) -> TerminalExpectations {
    var expectations = TerminalExpectations()
    guard let members = expected(node, Self.terminalKeys) else { return expectations }
    expectations.sequence = steps(members["commands"])
    expectations.exchangeCount = counts(members["exchanges"])
    expectations.presentations = counts(members["presentations"])
    expectations.applications = each(members["applications"]) { $0.octets($1, 5...16) }
    expectations.rules = each(members["rules"]) { $0.choice($1) }
    expectations.forms = forms(members["bytes"])
    if let tags = members["tags"] { sentElements(tags, into: &expectations) }
    expectations.fresh = each(members["fresh"]) { $0.tag($1) }
    expectations.shown = each(members["shown"]) { $0.choice($1) }
    (expectations.budgets, expectations.wholeTap) = budgets(members["milliseconds"])
    return expectations
  }

  /// `SELECT PPSE`, `[GENERATE AC, READ RECORD]` for alternatives, `{READ RECORD: {least: 1, most: 4}}` for a number.
  private mutating func steps(_ node: ScenarioNode?) -> [TerminalExpectations.Step] {
    guard let node else { return [] }
    guard case .list(let nodes) = node.content else {
      note(node, "\(node.kind) stands where a list of commands is needed")
      return []
    }
    if nodes.isEmpty { note(node, "the list is empty: leave the key out when nothing is expected") }
    return nodes.compactMap { step($0) }
  }

  private mutating func step(_ node: ScenarioNode) -> TerminalExpectations.Step? {
    guard case .map(let pairs) = node.content else {
      let names = each(node) { $0.commandName($1) }
      return names.isEmpty ? nil : .init(names: names, counts: 1...1)
    }
    guard let pair = pairs.first, pairs.count == 1 else {
      note(node, "one command with its number is needed")
      return nil
    }
    let name = ScenarioNode(
      content: .text(pair.key, isQuoted: false), line: pair.value.line, column: pair.value.column,
      path: pair.value.path)
    guard let name = commandName(name), let counts = counts(pair.value) else { return nil }
    return .init(names: [name], counts: counts)
  }

  private mutating func commandName(_ node: ScenarioNode) -> String? {
    let names = CommandSelector.phases(of: TerminalConfiguration.kernels).map(\.rawValue) + TestedCommand.furtherNames
    return choice(node, of: names.map { ($0, $0) } + [("GPO", TransactionPhase.processingOptions.rawValue)])
  }

  private mutating func forms(_ node: ScenarioNode?) -> [TerminalExpectations.Form] {
    guard let node else { return [] }
    return pairs(of: node, "commands").compactMap { key, value in
      guard let commands = commands(key, value), let pattern = pattern(value) else { return nil }
      return .init(commands: commands, pattern: pattern)
    }
  }

  private mutating func pattern(_ node: ScenarioNode) -> String? {
    if case .text(let text, _) = node.content {
      let digits = text.filter { !$0.isWhitespace }.uppercased()
      let octets = stride(from: 0, to: digits.count, by: 2).map { String(digits.dropFirst($0).prefix(2)) }
      let isRight = octets.allSatisfy { $0 == "XX" || ($0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit)) }
      if !octets.isEmpty, isRight { return digits }
    }
    note(node, "\(node.kind) is no pattern of bytes: two hexadecimal digits or xx for each byte")
    return nil
  }

  mutating func tag(_ node: ScenarioNode) -> Tag? {
    if case .text(let text, _) = node.content, let tag = DataElement.tag(named: text) { return tag }
    note(node, "no such data element: a tag such as 9F27, a short name such as TVR, or a name of the books")
    return nil
  }

  private mutating func sentElements(_ node: ScenarioNode, into expectations: inout TerminalExpectations) {
    var others: [(key: String, value: ScenarioNode)] = []
    for (key, value) in pairs(of: node, "data elements") {
      if case .text("configured", _) = value.content {
        expectations.isConfigured = true
        if DataElement.tag(named: key) != .terminalTransactionQualifiers {
          note(value, "\"configured\" is understood for 9F66")
        }
        continue
      }
      guard case .text("entered", _) = value.content else {
        others.append((key, value))
        continue
      }
      if let tag = DataElement.tag(named: key), Self.enteredTags.contains(tag) {
        expectations.entered.append(tag)
      } else {
        note(value, "\"entered\" is understood for \(Self.enteredTags.map(\.description).joined(separator: ", "))")
      }
    }
    guard !others.isEmpty else { return }
    expectations.elements = elements(
      ScenarioNode(content: .map(others), line: node.line, column: node.column, path: node.path))
  }
}

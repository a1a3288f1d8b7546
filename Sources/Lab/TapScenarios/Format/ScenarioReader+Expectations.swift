internal import EMVData
internal import EMVTerminal
internal import Links

extension ScenarioReader {
  private static let expectationKeys = [
    "outcome", "message", "display", "parameters", "leftOut", "cvm", "cryptogram", "secondCryptogram", "cardState",
    "application", "reason", "error",
    "exchanges", "tags", "status", "milliseconds",
  ]

  /// What must come of a tap.
  mutating func expectations(_ node: ScenarioNode) -> TapExpectations {
    var expectations = TapExpectations()
    guard let members = expected(node, Self.expectationKeys) else { return expectations }
    expectations.outcomes = each(members["outcome"]) { $0.choice($1) }
    expectations.messages = each(members["message"]) { $0.choice($1, of: Self.messages) }
    expectations.display = each(members["display"]) { $0.choice($1, of: Self.messages) }
    if let parameters = members["parameters"] { expectations.parameters = self.parameters(parameters) }
    expectations.leftOut = text(members["leftOut"])
    expectations.verifications = each(members["cvm"]) { $0.choice($1) }
    expectations.cryptograms = each(members["cryptogram"]) { $0.choice($1, of: Self.cryptograms) }
    expectations.secondCryptograms = each(members["secondCryptogram"]) { $0.choice($1, of: Self.secondCryptograms) }
    expectations.cardConditions = each(members["cardState"]) { $0.choice($1) }
    expectations.applications = each(members["application"]) { $0.octets($1, 5...16) }
    expectations.reason = text(members["reason"])
    expectations.errors = each(members["error"]) { $0.choice($1, of: Self.errors) }
    expectations.exchangeCount = counts(members["exchanges"])
    expectations.statuses = statuses(members["status"])
    if let tags = members["tags"] { expectations.elements = elements(tags) }
    (expectations.budgets, expectations.wholeTap) = budgets(members["milliseconds"])
    return expectations
  }

  // The words of the display, or the name of the message.
  private static let messages = CardholderMessage.allCases.flatMap { [($0.text, $0), ("\($0)", $0)] }
  private static let cryptograms: [(String, TapExpectations.Cryptogram)] =
    [.type(.arqc), .type(.tc), .type(.aac), .checksum, .none].map { ($0.description, $0) }
  private static let secondCryptograms: [(String, TapExpectations.Cryptogram)] =
    [.type(.tc), .type(.aac), .none].map { ($0.description, $0) }
  private static let errors = [
    LinkError.Code.cardRemoved, .severalCards, .readerUnavailable, .serviceUnavailable, .busy, .timedOut,
    .protocolViolation,
    .transmissionFailed,
  ].map { ($0.rawValue, $0) }

  /// The parameters of the outcome, each with a value or a list of alternatives.
  private mutating func parameters(_ node: ScenarioNode) -> [OutcomeParameter: [String]] {
    var found: [OutcomeParameter: [String]] = [:]
    for (key, value) in pairs(of: node, "parameters") {
      guard let parameter = OutcomeParameter.allCases.first(where: { plain($0.rawValue) == plain(key) }) else {
        note(value, "no such parameter; there are \(OutcomeParameter.allCases.map(\.rawValue).joined(separator: ", "))")
        continue
      }
      found[parameter] = each(value) { $0.text($1, 1...100) }
    }
    return found
  }

  /// One number, or `least` and `most`.
  mutating func counts(_ node: ScenarioNode?) -> ClosedRange<Int>? {
    guard let node else { return nil }
    guard case .map = node.content else { return integer(node, in: 0...1024).map { $0...$0 } }
    guard let members = members(of: node, known: ["least", "most"]) else { return nil }
    if members.isEmpty { note(node, "nothing is asked here: leave the key out") }
    let least = integer(members["least"], in: 0...1024) ?? 0
    let most = integer(members["most"], in: 0...1024) ?? 1024
    guard least <= most else {
      note(node, "\"least\" is \(least) and \"most\" is \(most)")
      return nil
    }
    return least...most
  }

  private mutating func statuses(_ node: ScenarioNode?) -> [StatusExpectation] {
    guard let node else { return [] }
    return pairs(of: node, "commands").compactMap { key, value in
      guard let commands = commands(key, value) else { return nil }
      let patterns = each(value) { $0.status($1) }
      return patterns.isEmpty ? nil : StatusExpectation(commands: commands, patterns: patterns)
    }
  }

  private mutating func status(_ node: ScenarioNode) -> String? {
    if case .text(let text, _) = node.content {
      let digits = text.uppercased()
      let head = digits.prefix(2)
      let tail = digits.dropFirst(2)
      if digits.utf8.count == 4, head.allSatisfy(\.isHexDigit), tail == "XX" || tail.allSatisfy(\.isHexDigit) {
        return String(head) + (tail == "XX" ? "xx" : String(tail))
      }
    }
    note(node, "\(node.kind) is no status word: four hexadecimal digits, or two and xx")
    return nil
  }

  /// The commands that a key means, whose value is the node.
  mutating func commands(_ key: String, _ node: ScenarioNode) -> CommandSelector? {
    if let commands = CommandSelector(key) { return commands }
    var names: [String] = []
    // Kernels share some of their phases.
    for phase in CommandSelector.phases(of: TerminalConfiguration.kernels) where !names.contains(phase.rawValue) {
      names.append(phase.rawValue)
    }
    note(
      node,
      "no such command; there are \(names.joined(separator: ", ")), GET RESPONSE, each also with a number behind it, exchange NUMBER and every command"
    )
    return nil
  }

  /// The longest times of commands, and of the whole tap.
  mutating func budgets(_ node: ScenarioNode?) -> ([TimeBudget], wholeTap: Int64?) {
    guard let node else { return ([], nil) }
    var (budgets, wholeTap): ([TimeBudget], Int64?) = ([], nil)
    for (key, value) in pairs(of: node, "commands") {
      if plain(key) == "wholetap" {
        if wholeTap != nil { note(value, "the time of the whole tap is there already") }
        wholeTap = nanoseconds(value)
      } else if let commands = commands(key, value), let nanoseconds = nanoseconds(value) {
        budgets.append(TimeBudget(commands: commands, nanoseconds: nanoseconds))
      }
    }
    return (budgets, wholeTap)
  }

  /// Milliseconds, with up to three decimals.
  mutating func nanoseconds(_ node: ScenarioNode) -> Int64? {
    if case .text(let text, _) = node.content, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      let value = Double(text), value > 0, value <= 600_000
    {
      return Int64((value * 1e6).rounded())
    }
    note(node, "\(node.kind) stands where milliseconds are needed, above 0 and up to 600000")
    return nil
  }
}

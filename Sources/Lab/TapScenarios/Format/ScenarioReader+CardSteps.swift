internal import ISO7816

extension ScenarioReader {
  private static let actions = ["send", "reset", "wait", "expect"]
  private static let fields = ["command", "bytes", "cla", "ins", "p1", "p2", "data", "le", "values"]
  /// The longest wait within a tap, in milliseconds.
  private static let waits = 1...60_000

  private static let kinds: [(name: String, value: CardCommandForm.Kind)] = [
    ("SELECT PPSE", .selectDirectory), ("SELECT AID", .selectApplication),
    ("GET PROCESSING OPTIONS", .processingOptions), ("GPO", .processingOptions), ("READ RECORDS", .readRecords),
    ("GENERATE AC", .generateAC), ("COMPUTE CRYPTOGRAPHIC CHECKSUM", .computeChecksum), ("CCC", .computeChecksum),
    ("EXCHANGE RELAY RESISTANCE DATA", .exchangeRelayData), ("RRP", .exchangeRelayData), ("GET DATA", .getData),
  ]

  /// The steps of a tap: `send`, `reset: true` or `wait: 500`.
  mutating func cardSteps(_ node: ScenarioNode?) -> [CardStep] {
    guard let node else { return [] }
    guard case .list(let nodes) = node.content, !nodes.isEmpty else {
      note(node, "\(node.kind) stands where a list of steps is needed")
      return []
    }
    return nodes.compactMap { cardStep($0) }
  }

  private mutating func cardStep(_ node: ScenarioNode) -> CardStep? {
    guard let members = members(of: node, known: Self.actions) else { return nil }
    let chosen = ["send", "reset", "wait"].filter { members[$0] != nil }
    guard chosen.count == 1 else {
      note(node, "a step has one of send, reset and wait")
      return nil
    }
    let expectations = members["expect"].map { stepExpectations($0) } ?? CardStepExpectations()
    if let expect = members["expect"], members["send"] == nil { note(expect, "\"expect\" needs \"send\"") }
    if let send = members["send"] {
      return commandForm(send).map { CardStep(action: .send($0), expectations: expectations) }
    }
    if let reset = members["reset"] {
      if flag(reset) == false { note(reset, "\"reset\" is true, or left out") }
      return CardStep(action: .reset, expectations: expectations)
    }
    return integer(members["wait"], in: Self.waits).map { CardStep(action: .wait($0), expectations: expectations) }
  }

  private mutating func commandForm(_ node: ScenarioNode) -> CardCommandForm? {
    guard case .map = node.content else { return kind(node).map { CardCommandForm(kind: $0) } }
    guard let members = members(of: node, known: Self.fields) else { return nil }
    guard (members["command"] == nil) != (members["bytes"] == nil) else {
      note(node, "a command has one of command and bytes")
      return nil
    }
    let named = members["command"].flatMap { kind($0) }
    let bytes = octets(members["bytes"], 1...261).map { CardCommandForm.Kind.bytes($0) }
    if bytes != nil, let other = members.first(where: { $0.key != "bytes" })?.value {
      note(other, "\"bytes\" is the whole command: leave the other keys out")
    }
    guard let kind = named ?? bytes else { return nil }
    var form = CardCommandForm(kind: kind)
    form.cla = octets(members["cla"], 1...1)?.first
    form.ins = octets(members["ins"], 1...1)?.first
    form.p1 = octets(members["p1"], 1...1)?.first
    form.p2 = octets(members["p2"], 1...1)?.first
    form.data = octets(members["data"])
    form.le = members["le"].flatMap { expectedLength($0) }
    form.values = members["values"].map { terminalValues($0) } ?? [:]
    return form
  }

  private mutating func expectedLength(_ node: ScenarioNode) -> CardCommandForm.ExpectedLength? {
    if case .text("none", _) = node.content { return CardCommandForm.ExpectedLength.none }
    return octets(node, 1...1)?.first.map { .octet($0) }
  }

  private mutating func kind(_ node: ScenarioNode) -> CardCommandForm.Kind? {
    if case .text(let text, _) = node.content, plain(text).hasPrefix("readrecord"),
      let number = Int(plain(text).dropFirst("readrecord".count)), (1...255).contains(number)
    {
      return .readRecord(number)
    }
    return choice(node, of: Self.kinds + [("READ RECORD 1", .readRecord(1))])
  }

  private mutating func stepExpectations(_ node: ScenarioNode) -> CardStepExpectations {
    var expectations = CardStepExpectations()
    guard let members = expected(node, ["status", "tags", "milliseconds"]) else { return expectations }
    expectations.statuses = each(members["status"]) { $0.statusPattern($1) }
    if let tags = members["tags"] { expectations.elements = elements(tags) }
    expectations.longest = members["milliseconds"].flatMap { nanoseconds($0) }
    return expectations
  }

  private mutating func statusPattern(_ node: ScenarioNode) -> String? {
    if case .text(let text, _) = node.content {
      let digits = text.uppercased()
      if digits.utf8.count == 4, digits.allSatisfy({ $0.isHexDigit || $0 == "X" }) {
        return digits.replacing("X", with: "x")
      }
    }
    note(node, "\(node.kind) is no status word: four hexadecimal digits, x for any of them")
    return nil
  }
}

internal import EMVData
internal import ISO7816

extension ScenarioReader {
  static let cardTestKeys = [
    "id", "rule", "finds", "severity", "destructive", "application", "kernel", "values", "steps",
  ]
  private static let expectationKeys = [
    "rules", "tags", "fresh", "constant", "rising", "distinct", "milliseconds",
  ]

  /// The keys of a scenario that judges a card by steps.
  mutating func cardTest(_ members: [String: ScenarioNode]) -> CardTest {
    CardTest(
      identity: identity(members),
      isDestructive: flag(members["destructive"]) ?? false,
      application: octets(members["application"], 5...16) ?? [],
      kernel: integer(members["kernel"], in: 1...63),
      values: members["values"].map { terminalValues($0) } ?? [:],
      steps: cardSteps(members["steps"]),
      expectations: members["expect"].map { cardExpectations($0) } ?? CardExpectations())
  }

  /// The terminal's values for the lists of a card: `{9F02: 000000001234}`.
  mutating func terminalValues(_ node: ScenarioNode) -> [Tag: [UInt8]] {
    var values: [Tag: [UInt8]] = [:]
    for (key, value) in pairs(of: node, "data elements") {
      guard let tag = DataElement.tag(named: key) else {
        note(value, "no such data element: a tag such as 9F37, a short name such as TTQ, or a name of the books")
        continue
      }
      values[tag] = octets(value)
    }
    return values
  }

  private mutating func cardExpectations(_ node: ScenarioNode) -> CardExpectations {
    var expectations = CardExpectations()
    guard let members = expected(node, Self.expectationKeys) else { return expectations }
    expectations.rules = each(members["rules"]) { $0.choice($1) }
    if let tags = members["tags"] { expectations.elements = elements(tags) }
    expectations.fresh = each(members["fresh"]) { $0.tag($1) }
    expectations.constant = each(members["constant"]) { $0.tag($1) }
    expectations.rising = each(members["rising"]) { $0.tag($1) }
    expectations.distinct = each(members["distinct"]) { reader, node in
      guard let name = reader.text(node) else { return nil }
      return reader.commands(name, node)
    }
    (expectations.budgets, expectations.wholeTap) = budgets(members["milliseconds"])
    return expectations
  }
}

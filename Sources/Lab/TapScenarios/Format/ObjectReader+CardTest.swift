internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON

extension ObjectReader {
  /// The keys of a scenario that judges a card by steps.
  mutating func cardTest() -> CardTest {
    CardTest(
      identity: identity(),
      isDestructive: optionalFlag("destructive") ?? false,
      application: octets("application", 5...16) ?? [],
      kernel: optionalInteger("kernel", in: 1...63),
      values: terminalValues("values"),
      steps: cardSteps("steps"),
      expectations: expected("expect") { $0.cardExpectations() } ?? CardExpectations())
  }

  /// The terminal's values for the lists of a card: `{9F02: 000000001234}`.
  mutating func terminalValues(_ key: String) -> [Tag: [UInt8]] {
    var values: [Tag: [UInt8]] = [:]
    for (key, value, place) in pairs(key, of: "data elements") {
      guard let tag = DataElement.tag(named: key) else {
        note(place, "no such data element: a tag such as 9F37, a short name such as TTQ, or a name of the books")
        continue
      }
      values[tag] = octets(value, at: place)
    }
    return values
  }

  private mutating func cardExpectations() -> CardExpectations {
    var expectations = CardExpectations()
    expectations.rules = each("rules") { $2.named($0, at: $1) }
    expectations.elements = elements("tags")
    expectations.fresh = each("fresh") { $2.tag($0, at: $1) }
    expectations.constant = each("constant") { $2.tag($0, at: $1) }
    expectations.rising = each("rising") { $2.tag($0, at: $1) }
    expectations.distinct = each("distinct") { value, place, reader in
      reader.line(value, at: place).flatMap { reader.commands($0, at: place) }
    }
    (expectations.budgets, expectations.wholeTap) = budgets("milliseconds")
    return expectations
  }
}

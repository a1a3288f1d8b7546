internal import Documents
internal import ISO7816
internal import JSON

extension ObjectReader {
  /// The longest wait within a tap, in milliseconds.
  private static let waits = 1...60_000

  private static let kinds: [(name: String, value: CardCommandForm.Kind)] = [
    ("SELECT PPSE", .selectDirectory), ("SELECT AID", .selectApplication),
    ("GET PROCESSING OPTIONS", .processingOptions), ("GPO", .processingOptions), ("READ RECORDS", .readRecords),
    ("GENERATE AC", .generateAC), ("CRYPTOGRAM", .cryptogram), ("COMPUTE CRYPTOGRAPHIC CHECKSUM", .computeChecksum),
    ("CCC", .computeChecksum),
    ("EXCHANGE RELAY RESISTANCE DATA", .exchangeRelayData), ("RRP", .exchangeRelayData), ("GET DATA", .getData),
  ]

  /// The steps of a tap: `send`, `reset: true` or `wait: 500`.
  mutating func cardSteps(_ key: String) -> [CardStep] {
    let steps: [CardStep?]? = read(key, isRequired: true, expected: "a list of steps") { value, reader in
      guard let list = value.list, !list.isEmpty else { return nil }
      return list.enumerated().map { index, step in reader.object(step, at: "\(key)[\(index)]") { $0.cardStep() } }
    }
    return (steps ?? []).compactMap(\.self)
  }

  private mutating func cardStep() -> CardStep? {
    let form = value("send").flatMap { commandForm($0, at: "send") }
    let reset = optionalFlag("reset")
    let wait = optionalInteger("wait", in: Self.waits)
    let expectations = expected("expect") { $0.stepExpectations() } ?? CardStepExpectations()
    guard ["send", "reset", "wait"].filter({ has($0) }).count == 1 else {
      note("", "a step has one of send, reset and wait")
      return nil
    }
    if has("expect"), !has("send") { note("expect", "\"expect\" needs \"send\"") }
    if reset == false { note("reset", "\"reset\" is true, or left out") }
    let action: CardStep.Action? =
      has("reset") ? .reset : form.map { .send($0) } ?? wait.map { .wait($0) }
    return action.map { CardStep(action: $0, expectations: expectations) }
  }

  private mutating func commandForm(_ value: JSONValue, at place: String) -> CardCommandForm? {
    value.members == nil
      ? kind(value, at: place).map { CardCommandForm(kind: $0) } : object(value, at: place) { $0.commandForm() }
  }

  private mutating func commandForm() -> CardCommandForm? {
    let named = value("command").flatMap { kind($0, at: "command") }
    let bytes = octets("bytes", 1...261).map { CardCommandForm.Kind.bytes($0) }
    // Read even when there is no form: a key that is not asked for counts as unknown.
    let (cla, ins) = (octets("cla", 1...1)?.first, octets("ins", 1...1)?.first)
    let (p1, p2) = (octets("p1", 1...1)?.first, octets("p2", 1...1)?.first)
    let (data, values) = (octets("data"), terminalValues("values"))
    let length = value("le").flatMap { expectedLength($0, at: "le") }
    guard has("command") != has("bytes") else {
      note("", "a command has one of command and bytes")
      return nil
    }
    let keys = askedKeys
    if bytes != nil, let other = keys.first(where: { $0 != "bytes" && has($0) }) {
      note(other, "\"bytes\" is the whole command: leave the other keys out")
    }
    guard let kind = named ?? bytes else { return nil }
    var form = CardCommandForm(kind: kind)
    form.cla = cla
    form.ins = ins
    form.p1 = p1
    form.p2 = p2
    form.data = data
    form.le = length
    form.values = values
    return form
  }

  private mutating func expectedLength(
    _ value: JSONValue, at place: String
  ) -> CardCommandForm.ExpectedLength? {
    if scalar(value) == "none" { return CardCommandForm.ExpectedLength.none }
    return octets(value, at: place, 1...1)?.first.map { .octet($0) }
  }

  private mutating func kind(_ value: JSONValue, at place: String) -> CardCommandForm.Kind? {
    if let name = scalar(value).map({ plain($0) }), name.hasPrefix("readrecord"),
      let number = Int(name.dropFirst("readrecord".count)), (1...255).contains(number)
    {
      return .readRecord(number)
    }
    return named(value, at: place, of: Self.kinds + [("READ RECORD 1", .readRecord(1))])
  }

  private mutating func stepExpectations() -> CardStepExpectations {
    var expectations = CardStepExpectations()
    expectations.statuses = each("status") { $2.statusPattern($0, at: $1) }
    expectations.elements = elements("tags")
    expectations.longest = value("milliseconds").flatMap { nanoseconds($0, at: "milliseconds") }
    return expectations
  }

  private mutating func statusPattern(_ value: JSONValue, at place: String) -> String? {
    if let digits = scalar(value)?.uppercased(), digits.utf8.count == 4,
      digits.allSatisfy({ $0.isHexDigit || $0 == "X" })
    {
      return digits.replacing("X", with: "x")
    }
    refuse(place, "\(found(value)) is no status word: four hexadecimal digits, x for any of them")
    return nil
  }
}

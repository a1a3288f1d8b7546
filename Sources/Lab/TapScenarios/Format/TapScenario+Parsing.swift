internal import Documents
internal import EMVData
internal import EMVTerminal
internal import JSON
internal import PaymentAcceptance

extension TapScenario {
  /// The range of the number of taps.
  public static let repeatCounts = 1...10_000
  /// The range of the wait for a card, in seconds.
  public static let timeouts = 1...3600
  /// The range of the number of restarts.
  public static let restartCounts = 0...20

  /// Reads a scenario of at most 256 KiB, in YAML or JSON.
  ///
  /// - Throws: `ScenarioError` with every problem, its line, column and path.
  public init(parsing octets: some Sequence<UInt8>) throws(ScenarioError) {
    var reader = ObjectReader(try JSONValue(yaml: Array(octets)), in: .yaml)
    self.init(&reader)
    let problems = reader.finish()
    guard problems.isEmpty else { throw ScenarioError(problems) }
  }

  /// Reads what can be read; the reader has the problems.
  init(_ reader: inout ObjectReader) {
    name = reader.line("name", 1...200, isRequired: true) ?? ""
    description = reader.line("description")
    let judgesTerminal = reader.named("role", of: [("terminal", false), ("card", true)]) ?? false
    let hasSteps = reader.has("steps") && !judgesTerminal
    if judgesTerminal, reader.has("steps") { reader.note("steps", "\"steps\" judge a card: leave \"role: card\" out") }
    prompt = reader.line("prompt")
    repeatCount = reader.optionalInteger("repeat", in: Self.repeatCounts) ?? 1
    timeout = reader.optionalInteger("timeout", in: Self.timeouts)
    card = judgesTerminal ? Card() : reader.optionalObject("card") { $0.card() } ?? Card()
    terminalTest = judgesTerminal ? reader.terminalTest() : nil
    cardTest = hasSteps ? reader.cardTest() : nil
    expectations =
      judgesTerminal || hasSteps
      ? TapExpectations() : reader.expected("expect", isRequired: true) { $0.tapExpectations() } ?? TapExpectations()
    isDestructive =
      cardTest?.isDestructive ?? (judgesTerminal ? false : reader.optionalFlag("destructive") ?? false)
    // A test by steps has no payment.
    terminal = hasSteps ? .shipped : reader.terminal("terminal")
    amount =
      if let terminalTest { terminalTest.amounts.first?.description ?? "" } else if hasSteps { "" } else {
        reader.line("amount", 1...20, isRequired: true) ?? ""
      }
    kind = hasSteps ? nil : reader.named("type")
    cashback = hasSteps ? nil : reader.line("cashback", 1...20)
    currency = hasSteps ? "" : reader.line("currency", 3...3, isRequired: true) ?? ""
    date = hasSteps ? nil : reader.date("date")
    time = hasSteps ? nil : reader.time("time")
    issuer = hasSteps ? .test : reader.issuer("issuer")
    restarts = hasSteps ? 0 : reader.optionalInteger("restarts", in: Self.restartCounts) ?? 0
    // Editors read it. Last, so that it is not the first key that a problem suggests.
    _ = reader.text(ProfileKey.schemaReference)
  }
}

extension ObjectReader {
  fileprivate mutating func terminal(_ key: String) -> TapScenario.Terminal {
    guard let value = value(key) else { return .shipped }
    guard value.members != nil else { return line(value, at: key).map { .file($0) } ?? .shipped }
    let json = Array(value.compact.utf8)
    do throws(TerminalProfileError) {
      _ = try TerminalConfiguration(json: json)
    } catch {
      for problem in error.problems { note(key + problem.path.dropFirst(), problem.reason) }
    }
    return .inline(json)
  }

  fileprivate mutating func date(_ key: String) -> TransactionDate? {
    guard let text = line(key) else { return nil }
    if let date = TransactionDate(text) { return date }
    refuse(key, "\"\(text)\" is no date such as 2026-01-31, from 1950 to 2049")
    return nil
  }

  fileprivate mutating func time(_ key: String) -> TransactionTime? {
    guard let text = line(key) else { return nil }
    if let time = TransactionTime(text) { return time }
    refuse(key, "\"\(text)\" is no time of day such as 09:05:00")
    return nil
  }

  fileprivate mutating func card() -> TapScenario.Card {
    var card = TapScenario.Card()
    card.file = line("file")
    card.isVerified = optionalFlag("verified") ?? true
    card.isFaulty = optionalFlag("faults") ?? false
    if card.isFaulty, !card.isVerified { note("", "\"faults\" needs a verified holder") }
    return card
  }
}

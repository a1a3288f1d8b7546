internal import Documents
internal import EMVData
internal import EMVTerminal
internal import JSON

extension TapScenario {
  /// The range of the number of taps.
  public static let repeatCounts = 1...10_000
  /// The range of the wait for a card, in seconds.
  public static let timeouts = 1...3600
  /// The range of the number of restarts.
  public static let restartCounts = 0...20

  private static let keys = [
    "name", "description", "terminal", "amount", "cashback", "currency", "date", "time", "issuer", "prompt", "repeat",
    "timeout",
    "restarts", "card", "expect", "role",
  ]

  private static func keys(judgesTerminal: Bool, hasSteps: Bool) -> [String] {
    guard hasSteps else {
      return keys + (judgesTerminal ? ScenarioReader.terminalTestKeys : ["destructive"]) + ["steps"]
    }
    return ["name", "description", "role", "prompt", "repeat", "timeout", "card", "expect"]
      + ScenarioReader.cardTestKeys
  }

  private static func neededKeys(judgesTerminal: Bool, hasSteps: Bool) -> [String] {
    if hasSteps { return ["name", "id", "rule", "steps"] }
    return ["name", "amount", "currency", "expect"] + (judgesTerminal ? ["id", "rule", "card"] : [])
  }

  /// Reads a scenario of at most 256 KiB, in YAML or JSON.
  ///
  /// - Throws: `ScenarioError` with every problem, its line, column and path.
  public init(parsing octets: some Sequence<UInt8>) throws(ScenarioError) {
    var reader = ScenarioReader()
    self.init(try ScenarioNode(parsing: Array(octets)), &reader)
    guard reader.problems.isEmpty else { throw ScenarioError(reader.problems) }
  }

  /// Reads what can be read; the reader has the problems.
  init(_ root: ScenarioNode, _ reader: inout ScenarioReader) {
    let judgesTerminal = reader.judgesTerminal(root.member("role"))
    let hasSteps = root.member("steps") != nil && !judgesTerminal
    if judgesTerminal, let steps = root.member("steps") {
      reader.note(steps, "\"steps\" judge a card: leave \"role: card\" out")
    }
    let members =
      reader.members(
        of: root, known: Self.keys(judgesTerminal: judgesTerminal, hasSteps: hasSteps),
        needed: Self.neededKeys(judgesTerminal: judgesTerminal, hasSteps: hasSteps)) ?? [:]
    name = reader.text(members["name"], 1...200) ?? ""
    description = reader.text(members["description"])
    terminal = reader.terminal(members["terminal"])
    terminalTest = judgesTerminal ? reader.terminalTest(members) : nil
    amount =
      judgesTerminal ? terminalTest?.amounts.first?.description ?? "" : reader.text(members["amount"], 1...20) ?? ""
    cashback = reader.text(members["cashback"], 1...20)
    currency = reader.text(members["currency"], 3...3) ?? ""
    date = reader.date(members["date"])
    time = reader.time(members["time"])
    issuer = reader.issuer(members["issuer"])
    prompt = reader.text(members["prompt"])
    repeatCount = reader.integer(members["repeat"], in: Self.repeatCounts) ?? 1
    timeout = reader.integer(members["timeout"], in: Self.timeouts)
    restarts = reader.integer(members["restarts"], in: Self.restartCounts) ?? 0
    card = judgesTerminal ? TapScenario.Card() : reader.card(members["card"])
    cardTest = hasSteps ? reader.cardTest(members) : nil
    isDestructive = cardTest?.isDestructive ?? reader.flag(members["destructive"]) ?? false
    let expected = judgesTerminal || hasSteps ? nil : members["expect"]
    expectations = expected.map { reader.expectations($0) } ?? TapExpectations()
  }
}

extension ScenarioReader {
  /// Whether this project is the card, so that a terminal is judged.
  fileprivate mutating func judgesTerminal(_ node: ScenarioNode?) -> Bool {
    choice(node, of: [("terminal", false), ("card", true)]) ?? false
  }

  fileprivate mutating func terminal(_ node: ScenarioNode?) -> TapScenario.Terminal {
    guard let node else { return .shipped }
    guard case .map = node.content else { return text(node).map { .file($0) } ?? .shipped }
    let json = Array(node.json.compact.utf8)
    do throws(TerminalProfileError) {
      _ = try TerminalConfiguration(json: json)
    } catch {
      for problem in error.problems {
        let path = node.path + problem.path.dropFirst()
        note(node.deepest(around: path).moved(to: path), problem.reason)
      }
    }
    return .inline(json)
  }

  fileprivate mutating func date(_ node: ScenarioNode?) -> TransactionDate? {
    guard let node, let text = text(node) else { return nil }
    if let date = TransactionDate(text) { return date }
    note(node, "\(node.kind) is no date such as 2026-01-31, from 1950 to 2049")
    return nil
  }

  fileprivate mutating func time(_ node: ScenarioNode?) -> TransactionTime? {
    guard let node, let text = text(node) else { return nil }
    if let time = TransactionTime(text) { return time }
    note(node, "\(node.kind) is no time of day such as 09:05:00")
    return nil
  }

  fileprivate mutating func card(_ node: ScenarioNode?) -> TapScenario.Card {
    var card = TapScenario.Card()
    guard let node, let members = members(of: node, known: ["file", "verified", "faults"]) else { return card }
    card.file = text(members["file"])
    card.isVerified = flag(members["verified"]) ?? true
    card.isFaulty = flag(members["faults"]) ?? false
    if card.isFaulty, !card.isVerified { note(node, "\"faults\" needs a verified holder") }
    return card
  }
}

extension ScenarioNode {
  /// The deepest node on the way to a path.
  func deepest(around wanted: String) -> ScenarioNode {
    let children: [ScenarioNode] =
      switch content {
      case .text: []
      case .list(let values): values
      case .map(let members): members.map(\.value)
      }
    let next = children.first {
      wanted == $0.path || wanted.hasPrefix($0.path + ".") || wanted.hasPrefix($0.path + "[")
    }
    return next?.deepest(around: wanted) ?? self
  }

  func moved(to path: String) -> ScenarioNode {
    ScenarioNode(content: content, line: line, column: column, path: path)
  }
}

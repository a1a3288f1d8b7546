internal import CardFaults
internal import DeviceAuthentication
internal import EMVCard
internal import JSON

extension ScenarioReader {
  static let terminalTestKeys = ["id", "rule", "finds", "severity", "needs"]

  /// The keys of a scenario that judges a terminal.
  mutating func terminalTest(_ members: [String: ScenarioNode]) -> TerminalTest {
    TerminalTest(
      identity: identity(members),
      needs: each(members["needs"]) { $0.choice($1) },
      amounts: each(members["amount"]) { $0.amount($1) }, card: testCard(members["card"]),
      expectations: members["expect"].map { terminalExpectations($0) } ?? TerminalExpectations())
  }

  private static let cardKeys = [
    "file", "changes", "wire", "policy", "verified", "verification", "leavesAfter", "leavesAfterByte", "comesBack",
    "comesBackAfter", "tapsAgainAfter",
  ]

  private mutating func testCard(_ node: ScenarioNode?) -> TerminalTest.Card {
    var card = TerminalTest.Card()
    guard let node, let members = members(of: node, known: Self.cardKeys, needed: ["file"]) else { return card }
    card.file = text(members["file"]) ?? ""
    if let changes = members["changes"] {
      card.changes = pairs(of: changes, "paths in the profile").map { path, value in
        let new = value.json
        // A literal nil would be a JSON null.
        return TerminalTest.Change(path: path, value: new.isNull ? Optional<JSONValue>.none : .some(new))
      }
    }
    card.plan = members["wire"].flatMap { plan($0) }
    let policies = [CardholderVerificationPolicy.biometricOnly, .userPresence].map { ("\($0)", $0) }
    card.policy = choice(members["policy"], of: policies) ?? card.policy
    card.isVerified = flag(members["verified"]) ?? true
    card.isExpired = choice(members["verification"], of: [("valid", false), ("expired", true)]) ?? false
    readMoves(members, into: &card)
    return card
  }

  /// When the card leaves the terminal and comes back.
  private mutating func readMoves(_ members: [String: ScenarioNode], into card: inout TerminalTest.Card) {
    card.leavesAfter = integer(members["leavesAfter"], in: 1...255)
    card.leavesAfterOctets = integer(members["leavesAfterByte"], in: 2...255)
    card.comesBack = flag(members["comesBack"]) ?? true
    card.comesBackAfter = integer(members["comesBackAfter"], in: Self.absences)
    card.tapsAgainAfter = integer(members["tapsAgainAfter"], in: Self.absences)
    for key in ["comesBack", "comesBackAfter", "leavesAfterByte"] where members["leavesAfter"] == nil {
      if let node = members[key] { note(node, "\"\(key)\" needs \"leavesAfter\"") }
    }
    if let node = members["comesBackAfter"], !card.comesBack {
      note(node, "\"comesBackAfter\" needs a card that comes back")
    }
    if let node = members["tapsAgainAfter"], card.leavesAfter != nil || !card.isVerified {
      note(node, "\"tapsAgainAfter\" needs a verified card without \"leavesAfter\"")
    }
    if let node = members["verification"], card.isExpired, !card.isVerified {
      note(node, "a verification that has expired needs a verified card")
    }
  }

  /// How long a card may stay away, in milliseconds.
  private static let absences = 1...120_000

  private mutating func plan(_ node: ScenarioNode) -> CardFaultPlan? {
    do throws(CardProfileError) {
      return try CardFaultPlan(json: node.json)
    } catch {
      for problem in error.problems {
        let path = node.path + problem.path.dropFirst("faults".count)
        note(node.deepest(around: path).moved(to: path), problem.message)
      }
      return nil
    }
  }
}

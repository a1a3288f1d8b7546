internal import CardFaults
internal import DeviceAuthentication
internal import Documents
internal import EMVCard
internal import JSON

extension ObjectReader {
  /// The keys of a scenario that judges a terminal.
  mutating func terminalTest() -> TerminalTest {
    TerminalTest(
      identity: identity(),
      needs: each("needs") { $2.named($0, at: $1) },
      amounts: each("amount", isRequired: true) { $2.amount($0, at: $1) },
      card: optionalObject("card", isRequired: true) { $0.testCard() } ?? TerminalTest.Card(),
      expectations: expected("expect", isRequired: true) { $0.terminalExpectations() } ?? TerminalExpectations())
  }

  private mutating func testCard() -> TerminalTest.Card {
    var card = TerminalTest.Card()
    card.file = line("file", isRequired: true) ?? ""
    card.changes = pairs("changes", of: "paths in the profile").map { path, value, _ in
      // A literal nil would be a JSON null.
      TerminalTest.Change(path: path, value: value.isNull ? Optional<JSONValue>.none : .some(value))
    }
    card.plan = value("wire").flatMap { plan($0, at: "wire") }
    let policies = [CardholderVerificationPolicy.biometricOnly, .userPresence].map { ("\($0)", $0) }
    card.policy = named("policy", of: policies) ?? card.policy
    card.isVerified = optionalFlag("verified") ?? true
    card.isExpired = named("verification", of: [("valid", false), ("expired", true)]) ?? false
    readMoves(into: &card)
    return card
  }

  /// When the card leaves the terminal and comes back.
  private mutating func readMoves(into card: inout TerminalTest.Card) {
    for key in ["comesBack", "comesBackAfter", "leavesAfterByte"] where has(key) && !has("leavesAfter") {
      note(key, "\"\(key)\" needs \"leavesAfter\"")
    }
    card.leavesAfter = optionalInteger("leavesAfter", in: 1...255)
    card.leavesAfterOctets = optionalInteger("leavesAfterByte", in: 2...255)
    card.comesBack = optionalFlag("comesBack") ?? true
    card.comesBackAfter = optionalInteger("comesBackAfter", in: Self.absences)
    card.tapsAgainAfter = optionalInteger("tapsAgainAfter", in: Self.absences)
    if has("comesBackAfter"), !card.comesBack {
      note("comesBackAfter", "\"comesBackAfter\" needs a card that comes back")
    }
    if has("tapsAgainAfter"), card.leavesAfter != nil || !card.isVerified {
      note("tapsAgainAfter", "\"tapsAgainAfter\" needs a verified card without \"leavesAfter\"")
    }
    if has("verification"), card.isExpired, !card.isVerified {
      note("verification", "a verification that has expired needs a verified card")
    }
  }

  /// How long a card may stay away, in milliseconds.
  private static let absences = 1...120_000

  private mutating func plan(_ value: JSONValue, at place: String) -> CardFaultPlan? {
    do throws(CardProfileError) {
      return try CardFaultPlan(json: value)
    } catch {
      for problem in error.problems { note(place + problem.path.dropFirst("faults".count), problem.message) }
      return nil
    }
  }
}

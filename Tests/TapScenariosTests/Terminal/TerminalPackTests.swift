import TapScenarios
import Testing

/// The pack of scenarios that judge a terminal: what it finds, and that this project's terminal passes it.
@Suite("Terminal tests")
struct TerminalPackTests {
  static let pack = PackFolder.terminal
  static let files = pack.filesByID()

  @Test func `every scenario of the pack is read, with an identifier of its own and a fault to find`() throws {
    try Self.pack.check(Mutant.all.map(\.fault))
  }

  @Test(arguments: [
    ("EMV 4.4 Book 3, 10.2", true), ("EMV Contactless Book C-3 v2.11, 5.2; ISO/IEC 7816-4:2013, 5.6", true),
    ("EMV Contactless Book C-2 (not public)", false), ("ISO/IEC 7816-4:2013, 5.6", false),
    ("EMV 4.4 Book 1, 11.3.2", false), ("public settings of terminals for kernel 7", false),
  ]) func `a rule that cites no compared book is told from one that does`(_ rule: String, _ cites: Bool) {
    #expect(RuleMatrix.citesBook(rule) == cites)
  }

  @Test func `every mutant of the table can be made`() {
    #expect(Mutant.all.compactMap(\.problem) == [])
  }

  @Test func `a scenario without a change of its card is a problem of the mutant that needs it`() {
    let mutant = Mutant.accepting("wrong signature accepted", "fdda-right")
    #expect(mutant.problem == "OfflineAuthentication/fdda-right.yaml changes no data object of its card")
  }

  @Test(arguments: files.keys.sorted()) func `the terminal of this project passes`(_ id: String) async throws {
    let verdict = try await TerminalPack.verdict(on: OwnTerminal(), in: #require(Self.files[id]))
    #expect(verdict.isPassed, "\(verdict.failures.map(\.description)), unseen: \(verdict.isUnseen)")
    #expect(verdict.missingChanges == [])
  }

  @Test func `the table of mutants is up to date, each is found, and no two scenarios find the same`() async throws {
    try await Self.pack.checkTable(faults: Mutant.all.map(\.fault), TerminalPack.found)
  }

  @Test func `the catalogue and the matrix of rules are up to date`() throws { try Self.pack.checkPages() }
}

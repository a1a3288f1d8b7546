import TapScenarios
import Testing

/// The pack of scenarios that judge a terminal: what it finds, and that this project's terminal passes it.
@Suite("Terminal tests")
struct TerminalPackTests {
  static let pack = PackFolder.terminal
  static let files = pack.filesByID()

  @Test func `every scenario of the pack is read, with an identifier of its own and a fault to find`() throws {
    let tests = try Self.pack.files().map { try #require($0.scenario.terminalTest, "\($0.path)") }
    #expect(tests.count >= 80)
    #expect(Set(tests.map(\.id)).count == tests.count)
    let faults = Set(Mutant.all.map(\.fault))
    #expect(faults.count == Mutant.all.count)
    for test in tests {
      let finding = try #require(test.finding, "\(test.id)")
      #expect(faults.contains(finding.fault), "\(test.id): \(finding.fault)")
    }
  }

  @Test(arguments: files.keys.sorted()) func `the terminal of this project passes`(_ id: String) async throws {
    let verdict = try await TerminalPack.verdict(on: OwnTerminal(), in: #require(Self.files[id]))
    #expect(verdict.isPassed, "\(verdict.failures.map(\.description)), unseen: \(verdict.isUnseen)")
    #expect(verdict.missingChanges == [])
  }

  @Test func `the table of mutants is up to date, each is found, and no two scenarios find the same`() async throws {
    let files = try Self.pack.files()
    let rows = try await MutantTable.rows(files, TerminalPack.found)
    try MutantTable.check(rows, files, faults: Mutant.all.map(\.fault))
    MutantTable.checkOverlap(rows, files)
    try Self.pack.compare(MutantTable.text(rows), with: "MUTANTS.txt")
  }

  @Test func `the catalogue is up to date`() throws {
    try Self.pack.compare(PackCatalogue.text(Self.pack, Self.pack.files()), with: "CATALOGUE.md")
  }

  @Test func `the matrix of rules is up to date, and names the rules without a scenario`() throws {
    let text = try RuleMatrix.text(Self.pack.files())
    #expect(text.contains("## Rules without a scenario\n\n- EMV"))
    try Self.pack.compare(text, with: "RULES.md")
  }
}

import Fixtures
import Foundation
import TapScenarios
import Testing

/// The pack of scenarios that judge a terminal: what it finds, and that this project's terminal passes it.
@Suite("Terminal tests")
struct TerminalPackTests {
  static let files = Dictionary(
    ((try? TerminalPack.files()) ?? []).map { ($0.scenario.terminalTest?.id ?? $0.path, $0) },
    uniquingKeysWith: { first, _ in first })

  @Test func `every scenario of the pack is read, with an identifier of its own and a fault to find`() throws {
    let tests = try TerminalPack.files().map { try #require($0.scenario.terminalTest, "\($0.path)") }
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
    let files = try TerminalPack.files()
    let rows = try await MutantTable.rows(files)
    for (file, row) in zip(files, rows) {
      let test = try #require(file.scenario.terminalTest)
      let finding = try #require(test.finding, "\(test.id)")
      guard let found = row.found.first(where: { $0.fault == finding.fault }) else {
        Issue.record("\(test.id) does not find \(finding.fault)")
        continue
      }
      #expect(
        found.verdict.isFound(by: finding.check),
        "\(test.id) finds \(found.fault) not by \(finding.check) but by \(found.verdict.failures.map(\.description))")
    }
    let missed = Mutant.all.map(\.fault).filter { fault in !rows.contains { $0.found.contains { $0.fault == fault } } }
    #expect(missed.isEmpty, "found by no scenario: \(missed)")
    for (column, same) in Dictionary(grouping: rows, by: { $0.found.map(\.fault) }) where same.count > 1 {
      Issue.record("\(same.map(\.id)) find the same: \(column)")
    }
    for (id, others) in try Self.crowded(files, rows) {
      Issue.record("more than three others of its folder find what \(id) names: \(others)")
    }
    try Self.compare(MutantTable.text(rows), with: "MUTANTS.txt")
  }

  /// The scenarios whose fault more than three other scenarios of their folder find, with those others.
  private static func crowded(
    _ files: [ScenarioFile], _ rows: [MutantTable.Row]
  ) throws -> [(id: String, others: [String])] {
    try zip(files, rows).compactMap { file, row in
      let fault = try #require(file.scenario.terminalTest?.finding).fault
      let others = zip(files, rows).filter { other, found in
        found.id != row.id && TerminalPack.group(of: other) == TerminalPack.group(of: file)
          && found.found.contains { $0.fault == fault }
      }.map(\.1.id)
      return others.count > 3 ? (row.id, others) : nil
    }
  }

  @Test func `the catalogue is up to date`() throws {
    try Self.compare(TerminalCatalogue.text(TerminalPack.files()), with: "CATALOGUE.md")
  }

  @Test func `the matrix of rules is up to date, and names the rules without a scenario`() throws {
    let text = try RuleMatrix.text(TerminalPack.files())
    #expect(text.contains("## Rules without a scenario\n\n- EMV"))
    try Self.compare(text, with: "RULES.md")
  }

  /// Compares a text with a fixture, or writes it into the folder that `PACK_WRITE` names.
  private static func compare(_ text: String, with name: String) throws {
    if let folder = ProcessInfo.processInfo.environment["PACK_WRITE"], !folder.isEmpty {
      try Data(text.utf8).write(to: URL(filePath: folder).appending(path: name))
    } else {
      let fixture = try String(decoding: Fixtures.data("TerminalTests/\(name)"), as: UTF8.self)
      #expect(fixture == text, "\(name) is not up to date: run this suite with PACK_WRITE=Fixtures/TerminalTests")
    }
  }
}

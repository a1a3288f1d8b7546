import TapScenarios

/// Which mutants each scenario finds.
struct MutantTable {
  struct Row: Sendable {
    let id: String
    let found: [(fault: String, verdict: TerminalPack.Verdict)]
  }

  /// The row of each scenario, in their order.
  static func rows(_ files: [ScenarioFile]) async throws -> [Row] {
    try await withThrowingTaskGroup(of: (Int, Row).self) { group in
      for (index, file) in files.enumerated() {
        group.addTask { (index, try await row(file)) }
      }
      var rows: [(Int, Row)] = []
      for try await row in group { rows.append(row) }
      return rows.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private static func row(_ file: ScenarioFile) async throws -> Row {
    var found: [(fault: String, verdict: TerminalPack.Verdict)] = []
    for mutant in Mutant.all {
      let verdict = try await TerminalPack.verdict(on: MutantTerminal(mutant), in: file)
      if !verdict.isPassed { found.append((mutant.fault, verdict)) }
    }
    return Row(id: file.scenario.terminalTest?.id ?? "", found: found)
  }

  /// A line for each scenario, and the mutants that it finds, indented.
  static func text(_ rows: [Row]) -> String {
    rows.map { row in ([row.id] + row.found.map { "  \($0.fault)" }).joined(separator: "\n") }
      .joined(separator: "\n") + "\n"
  }
}

import TapScenarios

/// The page that lists the pack, generated from the scenarios.
enum TerminalCatalogue {
  static func text(_ files: [ScenarioFile]) -> String {
    let groups = Dictionary(grouping: files, by: TerminalPack.group).sorted { $0.key < $1.key }
    let head = """
      # Catalogue of the terminal tests

      \(files.count) scenarios, generated from their files: `PACK_WRITE=Fixtures/TerminalTests` with the suite
      `TerminalPackTests` writes this page. A difference is a failure, or a warning where the rule is marked so.

      """
    return groups.reduce(head) { $0 + section($1.key, $1.value) }
  }

  private static func section(_ name: String, _ files: [ScenarioFile]) -> String {
    let lines = files.compactMap { file -> String? in
      guard let test = file.scenario.terminalTest else { return nil }
      let rule = test.rule + (test.severity == .warning ? " (warning)" : "")
      return "| \(test.id) | \(file.scenario.name) | \(rule) | \(test.finding?.fault ?? "") |"
    }
    return "\n## \(name)\n\n| id | what it shows | rule | finds |\n|---|---|---|---|\n"
      + lines.joined(separator: "\n") + "\n"
  }
}

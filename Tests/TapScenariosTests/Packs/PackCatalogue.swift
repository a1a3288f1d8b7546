import TapScenarios

/// The page that lists a pack, generated from the scenarios.
enum PackCatalogue {
  static func text(_ pack: PackFolder, _ files: [ScenarioFile]) -> String {
    let groups = Dictionary(grouping: files, by: PackFolder.group).sorted { $0.key < $1.key }
    let head = """
      # Catalogue of the \(pack.title)

      \(files.count) scenarios, generated from their files: `PACK_WRITE=Fixtures/\(pack.name)` with the suite
      `\(pack.suite)` writes this page. A difference is a failure, or a warning where the rule is marked so.

      """
    return groups.reduce(head) { $0 + section($1.key, $1.value) }
  }

  private static func section(_ name: String, _ files: [ScenarioFile]) -> String {
    let lines = files.compactMap { file -> String? in
      guard let test = file.packTest else { return nil }
      let rule = test.rule + (test.severity == .warning ? " (warning)" : "")
      return "| \(test.id) | \(file.scenario.name) | \(rule) | \(test.finding?.fault ?? "") |"
    }
    return "\n## \(name)\n\n| id | what it shows | rule | finds |\n|---|---|---|---|\n"
      + lines.joined(separator: "\n") + "\n"
  }
}

import TapScenarios
import Testing

/// Which mutants each scenario finds.
struct MutantTable {
  struct Row: Sendable {
    let id: String
    let group: String
    let found: [(fault: String, verdict: PackVerdict)]
  }

  /// The row of each scenario, in their order.
  ///
  /// - Parameter found: Returns the mutants that a scenario finds.
  static func rows(
    _ files: [ScenarioFile],
    _ found: @escaping @Sendable (ScenarioFile) async throws -> [(fault: String, verdict: PackVerdict)]
  ) async throws -> [Row] {
    try await withThrowingTaskGroup(of: (Int, Row).self) { group in
      for (index, file) in files.enumerated() {
        group.addTask {
          let row = Row(id: file.packTest?.id ?? "", group: PackFolder.group(of: file), found: try await found(file))
          return (index, row)
        }
      }
      var rows: [(Int, Row)] = []
      for try await row in group { rows.append(row) }
      return rows.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Checks that every scenario finds the mutant that it names by the check that it names, that every mutant is found, and
  /// that no two scenarios find the same mutants.
  static func check(_ rows: [Row], _ files: [ScenarioFile], faults: [String]) throws {
    for (file, row) in zip(files, rows) {
      let test = try #require(file.packTest)
      let finding = try #require(test.finding, "\(test.id)")
      guard let found = row.found.first(where: { $0.fault == finding.fault }) else {
        Issue.record("\(test.id) does not find \(finding.fault)")
        continue
      }
      #expect(
        found.verdict.isFound(by: finding.check),
        "\(test.id) finds \(found.fault) not by \(finding.check) but by \(found.verdict.failures.map(\.description))")
    }
    let missed = faults.filter { fault in !rows.contains { $0.found.contains { $0.fault == fault } } }
    #expect(missed.isEmpty, "found by no scenario: \(missed)")
    for (column, same) in Dictionary(grouping: rows, by: { $0.found.map(\.fault) }) where same.count > 1 {
      Issue.record("\(same.map(\.id)) find the same: \(column)")
    }
  }

  /// Checks that at most three other scenarios of a scenario's folder find the mutant that it names.
  static func checkOverlap(_ rows: [Row], _ files: [ScenarioFile]) {
    for (file, row) in zip(files, rows) {
      let fault = file.packTest?.finding?.fault
      let same = rows.filter { other in
        other.group == row.group && other.id != row.id && other.found.contains { $0.fault == fault }
      }
      #expect(same.count <= 3, "\(row.id) and \(same.map(\.id)) find \(fault ?? "")")
    }
  }

  /// A line for each scenario, and the mutants that it finds, indented.
  static func text(_ rows: [Row]) -> String {
    rows.map { row in ([row.id] + row.found.map { "  \($0.fault)" }).joined(separator: "\n") }
      .joined(separator: "\n") + "\n"
  }
}

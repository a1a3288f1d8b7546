import Fixtures
import Foundation
import TapScenarios

/// The page that lists each rule with the scenarios that judge it, generated from `rules.txt` and the scenarios.
enum RuleMatrix {
  /// A rule of the list: book and section, what it asks for, and why no scenario judges it; empty where one does.
  struct Rule {
    let place: String
    let words: String
    let reason: String
  }

  static func rules(of pack: PackFolder) throws -> [Rule] {
    try String(decoding: Fixtures.data("\(pack.name)/rules.txt"), as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map { line in
        let parts = line.components(separatedBy: " | ")
        return Rule(place: parts[0], words: parts[1], reason: parts.dropFirst(2).joined(separator: " | "))
      }
  }

  /// Whether a rule cites a book that is public and whose text was compared: one of EMV, but for Book 1 of EMV 4.4.
  static func citesBook(_ rule: String) -> Bool {
    rule.components(separatedBy: "; ").contains { part in
      part.hasPrefix("EMV ") && part.contains(" Book ") && !part.contains("not public") && !part.contains("Book 1,")
    }
  }

  /// The rules that no scenario judges.
  static func open(_ rules: [Rule], _ files: [ScenarioFile]) -> [Rule] {
    let judged = Set(files.compactMap(\.packTest).flatMap { places(in: $0.rule) })
    return rules.filter { !judged.contains($0.place) }
  }

  /// The places in a scenario's `rule`: `Book 3, 5.4 and 6.5.8; Book B, 3.1` has three.
  static func places(in rule: String) -> [String] {
    rule.components(separatedBy: "; ").flatMap { part -> [String] in
      guard let comma = part.range(of: ", ", options: .backwards) else { return [part] }
      let book = part[..<comma.upperBound]
      let sections = part[comma.upperBound...].components(separatedBy: " and ")
      // "annex A1, tag 9F37" is one place.
      return sections.count > 1 ? sections.map { book + $0 } : [part]
    }
  }

  static func text(_ pack: PackFolder, _ files: [ScenarioFile]) throws -> String {
    let rules = try rules(of: pack)
    let tests = files.compactMap(\.packTest)
    let rows = rules.map { rule in
      (rule, tests.filter { places(in: $0.rule).contains { $0 == rule.place } }.map(\.id).sorted())
    }
    let covered = rows.filter { !$0.1.isEmpty }
    let open = open(rules, files).map { "- \($0.place): \($0.words). Not judged: \($0.reason)" }
    let listed = Set(rules.map(\.place))
    let others = tests.filter { places(in: $0.rule).allSatisfy { !listed.contains($0) } }.map {
      "- \($0.id): \($0.rule)"
    }
    return """
      # Rules by scenarios

      Generated from `rules.txt` and the scenarios, as the catalogue. \(covered.count) of \(rules.count) rules have a scenario.

      | rule | asks for | scenarios |
      |---|---|---|
      \(covered.map { "| \($0.0.place) | \($0.0.words) | \($0.1.joined(separator: ", ")) |" }.joined(separator: "\n"))

      ## Rules without a scenario

      \(open.joined(separator: "\n"))

      ## Scenarios whose rule is in no book

      \(others.sorted().joined(separator: "\n"))

      """
  }
}

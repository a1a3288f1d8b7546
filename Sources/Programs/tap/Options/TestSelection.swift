import ArgumentParser
import Foundation
import Octets
import ProgramSupport
import TapScenarios

/// Which scenarios `tap test` runs, and which taps it lists.
struct TestSelection: ParsableArguments {
  @Option(
    name: .customShort("k"),
    help: ArgumentHelp(
      """
      Only scenarios whose name or file name matches: words with and, or, not and parentheses, such as \
      'visa and not cashback'. A word with spaces stands in quotation marks.
      """, valueName: "expression"), completion: .custom { words, _, _ in FileCompletion.scenarioNames(in: words) })
  var expression: String?
  @Flag(help: "Only list the scenarios with their names, and why one does not apply; needs no reader.")
  var list = false
  @Option(help: ArgumentHelp("List the slowest taps at the end: 1 to 10000.", valueName: "count"))
  var slowest: Int?

  func validate() throws {
    try require("--slowest", slowest, in: 1...10_000)
    _ = try parsed()
  }

  /// The scenarios that the expression selects.
  ///
  /// - Throws: `FileError` when it selects none.
  func selected(from files: [ScenarioFile]) throws -> [ScenarioFile] {
    guard let expression, let parsed = try parsed() else { return files }
    let selected = files.filter { file in
      parsed.matches([file.scenario.name, URL(filePath: file.path).lastPathComponent])
    }
    guard selected.isEmpty else { return selected }
    throw InputError(
      description: "-k '\(expression)' selects none of \(files.count.counted("scenario")): "
        + "--list without -k lists their names", exit: .notRight)
  }

  private func parsed() throws -> NameExpression? {
    guard let expression else { return nil }
    do throws(NameExpression.Fault) {
      return try NameExpression(expression)
    } catch { throw ValidationError("-k '\(expression)': \(error).") }
  }
}

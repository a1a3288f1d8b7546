import Fixtures
import Foundation
import TapScenarios

/// The pack of `Fixtures/TerminalTests`, and its runs with terminals of this process.
enum TerminalPack {
  static let folder = Fixtures.url("TerminalTests")

  /// All scenarios, by folder and name.
  static func files() throws -> [ScenarioFile] {
    let profile = try [UInt8](Fixtures.data("Terminals/all-kernels.json"))
    let names = (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".yaml") }.sorted()
    return try names.map { try ScenarioFile(folder.appending(path: $0).path, terminal: profile) }
  }

  /// The folder of a scenario, such as `Records`.
  static func group(of file: ScenarioFile) -> String {
    URL(filePath: file.path).deletingLastPathComponent().lastPathComponent
  }

  /// What a scenario finds at a terminal.
  struct Verdict: Sendable {
    /// The differences of all taps.
    var failures: [ScenarioFailure] = []
    /// Whether the scenario asks what was shown, and the terminal showed nothing that has a name.
    var isUnseen = false
    /// Changes of the card that never applied.
    var missingChanges: [String] = []

    var isPassed: Bool { failures.isEmpty && !isUnseen }

    /// Whether a check finds something; `check` is the beginning of its element.
    func isFound(by check: String) -> Bool {
      failures.contains { $0.element.hasPrefix(check) } || isUnseen && check == "shown"
    }
  }

  /// Makes all taps of a scenario.
  static func verdict(on terminal: any TestedTerminal, in file: ScenarioFile) async throws -> Verdict {
    var verdict = Verdict()
    guard let test = file.scenario.terminalTest else { return verdict }
    let count = file.scenario.repeatCount
    let trial = try await TerminalTrial(file, of: terminal, taps: count)
    var check = TerminalCheck(test.expectations)
    for number in 1...count {
      let tap = try await trial.tap(number)
      verdict.failures += check.failures(in: tap)
      verdict.missingChanges += tap.missingChanges
      verdict.isUnseen = verdict.isUnseen || check.lacksObservation(tap)
    }
    return verdict
  }
}

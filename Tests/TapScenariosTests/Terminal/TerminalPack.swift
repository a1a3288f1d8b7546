import TapScenarios

/// The runs of the pack `Fixtures/TerminalTests` with terminals of this process.
enum TerminalPack {
  /// Makes all taps of a scenario.
  static func verdict(on terminal: any TestedTerminal, in file: ScenarioFile) async throws -> PackVerdict {
    var verdict = PackVerdict()
    guard let test = file.scenario.terminalTest else { return verdict }
    let count = file.scenario.repeatCount
    let trial = try await TerminalTrial(file, of: terminal, taps: count)
    var check = TerminalCheck(test.expectations)
    for number in 1...count {
      let tap = try await trial.tap(number)
      verdict.failures += check.failures(in: tap)
      verdict.isUnseen = verdict.isUnseen || check.lacksObservation(tap)
    }
    return verdict
  }

  /// The mutants that a scenario finds.
  static func found(by file: ScenarioFile) async throws -> [(fault: String, verdict: PackVerdict)] {
    var found: [(fault: String, verdict: PackVerdict)] = []
    for mutant in Mutant.all {
      let verdict = try await verdict(on: MutantTerminal(mutant), in: file)
      if !verdict.isPassed { found.append((mutant.fault, verdict)) }
    }
    return found
  }
}

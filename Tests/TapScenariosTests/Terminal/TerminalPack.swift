import TapScenarios

/// The runs of the pack `Fixtures/TerminalTests` with terminals of this process.
enum TerminalPack {
  /// Makes all taps of a scenario, or as many as are given.
  static func verdict(
    on terminal: any TestedTerminal, in file: ScenarioFile, taps: Int = .max
  ) async throws -> PackVerdict {
    var verdict = PackVerdict()
    guard let test = file.scenario.terminalTest else { return verdict }
    let count = min(file.scenario.repeatCount, taps)
    let trial = try await TerminalTrial(file, of: terminal, taps: count)
    var check = TerminalCheck(test.expectations)
    for number in 1...count {
      let tap = try await trial.tap(number)
      verdict.failures += check.failures(in: tap) + check.lateness(in: tap)
      verdict.missingChanges += tap.missingChanges
      verdict.isUnseen = verdict.isUnseen || check.lacksObservation(tap)
    }
    return verdict
  }

  /// The mutants that a scenario finds. A mutant that would change nothing of what this project's terminal sends and
  /// receives is not run: it is that terminal.
  static func found(by file: ScenarioFile) async throws -> [(fault: String, verdict: PackVerdict)] {
    let watch = TerminalWatch()
    _ = try await verdict(on: watch.terminal(), in: file, taps: 20)
    let events = watch.events
    var found: [(fault: String, verdict: PackVerdict)] = []
    // Whether another payment meets the card that has just paid depends on which thread is faster: it is tried where the card
    // comes again.
    let comesAgain = file.scenario.terminalTest?.card.tapsAgainAfter != nil
    for mutant in Mutant.all where mutant.changes(events) && (mutant.payments == 1 || comesAgain) {
      // Only the frequency of random numbers needs more taps, which take their time.
      let verdict = try await verdict(on: MutantTerminal(mutant), in: file, taps: mutant.random == nil ? 20 : .max)
      if !verdict.isPassed { found.append((mutant.fault, verdict)) }
    }
    return found
  }
}

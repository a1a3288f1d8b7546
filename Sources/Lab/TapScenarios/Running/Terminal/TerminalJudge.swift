internal import PaymentAcceptance
internal import Transcripts

/// Judges a terminal.
struct TerminalJudge: ScenarioJudge {
  private let scenario: RunningScenario
  private let test: TerminalTest
  private let ledger: ScenarioLedger
  private let take: ScenarioRunner.TerminalTaps
  private var check: TerminalCheck

  init(
    _ scenario: RunningScenario, _ test: TerminalTest, _ ledger: ScenarioLedger,
    take: @escaping ScenarioRunner.TerminalTaps
  ) {
    (self.scenario, self.test, self.ledger, self.take) = (scenario, test, ledger, take)
    check = TerminalCheck(test.expectations, show: scenario.show)
  }

  mutating func tap(_ number: Int, _ invitation: inout CardInvitation) async throws -> JudgedTap? {
    let tap: TerminalTap
    var recorded = ScenarioRun(number: number, verdict: .passed)
    if let known = try scenario.observer.earlierTap(of: scenario.file, number), check.gap(in: known.tap) == nil {
      (tap, recorded.recording) = (known.tap, known.path)
    } else {
      tap = try await take(number)
    }
    recorded.exchangeCount = tap.exchanges.count
    recorded.nanoseconds = tap.exchanges.reduce(0) { $0 &+ $1.nanoseconds }
    guard let run = await judged(tap, recorded) else { return nil }
    // On the clock of a terminal in this process responses take no time.
    return JudgedTap(run, run.nanoseconds > 0 ? tap.exchanges : [])
  }

  // Judges a tap, or returns nil for one that is to be made again. While a person is asked what the terminal showed, the
  // ledger has what is certain without the answer.
  private mutating func judged(_ made: TerminalTap, _ run: ScenarioRun) async -> ScenarioRun? {
    var (tap, recorded) = (made, run)
    if run.recording == nil { keep(tap, &recorded) }
    if let ask = tap.observation {
      var certain = self
      ledger.hold(certain.completed(recorded, tap), forSeries: scenario.index)
      let answer = await ask()
      if answer.isRepeated {
        ledger.release()
        return nil
      }
      (tap.shown, tap.comment) = (answer.shown, answer.comment)
      keep(tap, &recorded)
    }
    return completed(recorded, tap)
  }

  // The run with the verdict on its tap.
  private mutating func completed(_ recorded: ScenarioRun, _ tap: TerminalTap) -> ScenarioRun {
    var run = recorded
    let verdict = verdict(tap)
    if run.verdict.isPassed || !verdict.isAcceptable { run.verdict = verdict }
    (run.outcome, run.comment) = (tap.shown?.rawValue, tap.comment)
    if let transcript = tap.transcript { scenario.explain(&run, by: transcript) }
    return run
  }

  private func keep(_ tap: TerminalTap, _ run: inout ScenarioRun) {
    if let transcript = tap.recording(of: scenario.file, run.number) { scenario.keep(transcript, &run) }
  }

  private mutating func verdict(_ tap: TerminalTap) -> ScenarioRun.Verdict {
    let severity = test.identity.severity
    let failures = check.failures(in: tap)
    let late = check.lateness(in: tap)
    let isCertain = !failures.isEmpty || !late.isEmpty && tap.linkShare != nil
    if isCertain { return severity == .warning ? .warned(failures + late) : .failed(failures + late) }
    if let gap = check.gap(in: tap) { return .notJudged(gap) }
    return late.isEmpty ? .passed : .warned(late)
  }
}

internal import EMVData
internal import ISO7816
internal import PaymentAcceptance
public import Transcripts

/// Makes the taps of scenarios that judge a terminal, one after the other.
public struct TerminalRunner: Sendable {
  /// Makes one tap of a scenario and returns what it left behind.
  public typealias Taker = @Sendable (_ number: Int) async throws -> TerminalTap
  /// Prepares the taps of a scenario.
  public typealias Opener = @Sendable (_ file: ScenarioFile, _ taps: Int) async throws -> Taker

  /// Whether the run ends at the first tap that fails.
  public var failsFast = false
  /// Returns the text of a value in reports.
  public var disclosure: ScenarioCheck.Disclosure = { node, _ in DataElement.text(of: node.tag, node.value) }
  /// Writes a recording of each tap; nil for none.
  public var record: ScenarioRunner.Recorder?
  /// Puts the exchanges of a tap that did not pass into words, for its results; nil for none.
  ///
  /// - Parameters: The exchanges, unredacted, and the verdict.
  public var explain: (@Sendable (Transcript, ScenarioRun.Verdict) -> [String])?
  /// Receives each tap with its series and the index of the scenario when it was made.
  public var observe: @Sendable (ScenarioRun, ScenarioSeries, _ index: Int) -> Void = { _, _, _ in }
  private let open: Opener

  /// Creates a runner.
  public init(open: @escaping Opener) { self.open = open }

  /// Runs scenarios, and adds every tap to a ledger whose series are those of the scenarios.
  public func run(_ files: [ScenarioRunner.Item], into ledger: ScenarioLedger) async {
    for (index, (file, count)) in files.enumerated() {
      guard let test = file.scenario.terminalTest else {
        let reason = "the scenario judges a card: use --reader in place of --link"
        add(ScenarioRun(number: 1, verdict: .notApplicable(reason)), [], index, ledger)
        continue
      }
      guard await run(file, test, index, count, ledger) else { return }
    }
  }

  // Returns whether to go on with the next scenario.
  private func run(
    _ file: ScenarioFile, _ test: TerminalTest, _ index: Int, _ count: Int, _ ledger: ScenarioLedger
  ) async -> Bool {
    var check = TerminalCheck(test.expectations, show: disclosure)
    let take: Taker
    do {
      take = try await open(file, count)
    } catch {
      add(ScenarioRun(number: 1, verdict: .error("\(error)")), [], index, ledger)
      return !failsFast
    }
    for number in 1...count {
      let run: ScenarioRun
      let exchanges: [Exchange]
      do {
        let tap = try await take(number)
        run = await judged(tap, number, file, test.severity, index, &check, ledger)
        exchanges = tap.exchanges
      } catch {
        // Without a terminal each further tap would wait for its whole time.
        add(ScenarioRun(number: number, verdict: .error("\(error)")), [], index, ledger)
        return !failsFast
      }
      // On the clock of a terminal in this process responses take no time.
      add(run, run.nanoseconds > 0 ? exchanges : [], index, ledger)
      if failsFast, !run.verdict.isAcceptable { return false }
    }
    return true
  }

  // Judges a tap. While a person is asked what the terminal showed, the ledger has what is certain without the answer.
  private func judged(
    _ tap: TerminalTap, _ number: Int, _ file: ScenarioFile, _ severity: TerminalTest.Severity, _ index: Int,
    _ check: inout TerminalCheck, _ ledger: ScenarioLedger
  ) async -> ScenarioRun {
    var tap = tap
    var recorded = ScenarioRun(number: number, verdict: .passed)
    recorded.exchangeCount = tap.exchanges.count
    recorded.nanoseconds = tap.exchanges.reduce(0) { $0 &+ $1.nanoseconds }
    if let transcript = tap.transcript { keep(transcript, &recorded, file, index) }
    if let ask = tap.observation {
      var certain = check
      ledger.hold(completed(recorded, tap, severity, &certain), forSeries: index)
      tap.shown = await ask()
    }
    return completed(recorded, tap, severity, &check)
  }

  // The run with the verdict on its tap.
  private func completed(
    _ recorded: ScenarioRun, _ tap: TerminalTap, _ severity: TerminalTest.Severity, _ check: inout TerminalCheck
  ) -> ScenarioRun {
    var run = recorded
    let verdict = Self.verdict(tap, severity, &check)
    if run.verdict.isPassed || !verdict.isAcceptable { run.verdict = verdict }
    run.outcome = tap.shown?.rawValue
    if !run.verdict.isPassed, let transcript = tap.transcript {
      run.explanation = explain?(transcript, run.verdict) ?? []
    }
    return run
  }

  // A recording that cannot be written is an error of a tap that passed, and does not hide what a tap has failed.
  private func keep(_ transcript: Transcript, _ run: inout ScenarioRun, _ file: ScenarioFile, _ index: Int) {
    do {
      run.recording = try record?(transcript, file, index, run.number)
    } catch {
      if run.verdict.isAcceptable { run.verdict = .error("\(error)") }
    }
  }

  private static func verdict(
    _ tap: TerminalTap, _ severity: TerminalTest.Severity, _ check: inout TerminalCheck
  ) -> ScenarioRun.Verdict {
    let failures = check.failures(in: tap)
    if !failures.isEmpty { return severity == .warning ? .warned(failures) : .failed(failures) }
    return check.gap(in: tap).map { .notJudged($0) } ?? .passed
  }

  private func add(_ run: ScenarioRun, _ exchanges: [Exchange], _ index: Int, _ ledger: ScenarioLedger) {
    observe(run, ledger.add(run, exchanges, toSeries: index), index)
  }
}

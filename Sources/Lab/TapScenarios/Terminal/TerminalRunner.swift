internal import EMVData
internal import ISO7816
internal import PaymentAcceptance
public import Transcripts

/// Makes the taps of scenarios that judge a terminal, one after the other.
public struct TerminalRunner: Sendable {
  /// Makes one tap of a scenario and returns what it left behind.
  public typealias Taker = @Sendable (_ number: Int) async throws -> TerminalTap
  /// Prepares the taps of a scenario. `ScenarioNotApplicable` and `ScenarioNotJudged` are verdicts; every
  /// other error ends the scenario.
  public typealias Opener = @Sendable (_ file: ScenarioFile, _ taps: Int) async throws -> Taker

  /// Whether the run ends at the first tap that fails.
  public var failsFast = false
  /// The most taps of a scenario that a person is asked for; nil without a limit. A scenario with more does not apply.
  public var mostTaps: Int?
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
  /// Returns the recording of a tap that an earlier run has made, and its file; nil for a tap that is to be made.
  public var recorded: (@Sendable (_ file: ScenarioFile, _ number: Int) throws -> (tap: TerminalTap, path: String)?)?
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
      if let mostTaps, let reason = Self.reasonNotApplicable(count, mostTaps) {
        add(ScenarioRun(number: 1, verdict: .notApplicable(reason)), [], index, ledger)
        continue
      }
      guard await run(file, test, index, count, ledger) else { return }
    }
  }

  /// Why a scenario with so many taps is not run where a person is asked for each; nil when it is run.
  public static func reasonNotApplicable(_ count: Int, _ most: Int) -> String? {
    count > most ? "the scenario needs \(count) taps, more than \(most): run it alone with --repeat \(count)" : nil
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
      let run = ScenarioRun(number: 1, endedBy: error)
      add(run, [], index, ledger)
      return !failsFast || run.verdict.isAcceptable
    }
    var number = 1
    while number <= count {
      let run: ScenarioRun
      let exchanges: [Exchange]
      do {
        let tap: TerminalTap
        var path: String?
        if let known = try recorded?(file, number), check.gap(in: known.tap) == nil {
          (tap, path) = (known.tap, known.path)
        } else {
          tap = try await take(number)
        }
        guard let judged = await judged(tap, number, path, file, test.identity.severity, index, &check, ledger) else {
          continue
        }
        (run, exchanges) = (judged, tap.exchanges)
      } catch let reason as ScenarioNotJudged where reason.isOfOneTap {
        (run, exchanges) = (ScenarioRun(number: number, endedBy: reason), [])
      } catch {
        let run = ScenarioRun(number: number, endedBy: error)
        add(run, [], index, ledger)
        // Without a terminal each further tap would wait for its whole time.
        return !failsFast || run.verdict.isAcceptable
      }
      // On the clock of a terminal in this process responses take no time.
      add(run, run.nanoseconds > 0 ? exchanges : [], index, ledger)
      if failsFast, !run.verdict.isAcceptable { return false }
      number += 1
    }
    return true
  }

  // Judges a tap, or returns nil for one that is to be made again. While a person is asked what the terminal showed, the
  // ledger has what is certain without the answer.
  private func judged(
    _ tap: TerminalTap, _ number: Int, _ path: String?, _ file: ScenarioFile, _ severity: PackTest.Severity,
    _ index: Int, _ check: inout TerminalCheck, _ ledger: ScenarioLedger
  ) async -> ScenarioRun? {
    var tap = tap
    var recorded = ScenarioRun(number: number, verdict: .passed)
    recorded.exchangeCount = tap.exchanges.count
    recorded.nanoseconds = tap.exchanges.reduce(0) { $0 &+ $1.nanoseconds }
    recorded.recording = path
    if path == nil { keep(tap, &recorded, file, index) }
    if let ask = tap.observation {
      var certain = check
      ledger.hold(completed(recorded, tap, severity, &certain), forSeries: index)
      let answer = await ask()
      if answer.isRepeated {
        ledger.release()
        return nil
      }
      (tap.shown, tap.comment) = (answer.shown, answer.comment)
      keep(tap, &recorded, file, index)
    }
    return completed(recorded, tap, severity, &check)
  }

  // The run with the verdict on its tap.
  private func completed(
    _ recorded: ScenarioRun, _ tap: TerminalTap, _ severity: PackTest.Severity, _ check: inout TerminalCheck
  ) -> ScenarioRun {
    var run = recorded
    let verdict = Self.verdict(tap, severity, &check)
    if run.verdict.isPassed || !verdict.isAcceptable { run.verdict = verdict }
    (run.outcome, run.comment) = (tap.shown?.rawValue, tap.comment)
    if !run.verdict.isPassed, let transcript = tap.transcript {
      run.explanation = explain?(transcript, run.verdict) ?? []
    }
    return run
  }

  // A recording that cannot be written is an error of a tap that passed, and does not hide what a tap has failed.
  private func keep(_ tap: TerminalTap, _ run: inout ScenarioRun, _ file: ScenarioFile, _ index: Int) {
    if let transcript = tap.recording(of: file, run.number) { run.keep(transcript, of: file, index, by: record) }
  }

  private static func verdict(
    _ tap: TerminalTap, _ severity: PackTest.Severity, _ check: inout TerminalCheck
  ) -> ScenarioRun.Verdict {
    let failures = check.failures(in: tap)
    let late = check.lateness(in: tap)
    let isCertain = !failures.isEmpty || !late.isEmpty && tap.linkShare != nil
    if isCertain { return severity == .warning ? .warned(failures + late) : .failed(failures + late) }
    if let gap = check.gap(in: tap) { return .notJudged(gap) }
    return late.isEmpty ? .passed : .warned(late)
  }

  private func add(_ run: ScenarioRun, _ exchanges: [Exchange], _ index: Int, _ ledger: ScenarioLedger) {
    observe(run, ledger.add(run, exchanges, toSeries: index), index)
  }
}

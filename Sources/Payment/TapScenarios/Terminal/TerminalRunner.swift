internal import EMVData
internal import ISO7816
internal import PaymentAcceptance

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
    do {
      let take = try await open(file, count)
      for number in 1...count {
        let tap = try await take(number)
        var run = ScenarioRun(number: number, verdict: Self.verdict(tap, test.severity, &check))
        (run.exchangeCount, run.outcome) = (tap.exchanges.count, tap.shown?.rawValue)
        if let transcript = tap.transcript { run.recording = try record?(transcript, file, index, number) }
        run.nanoseconds = tap.exchanges.reduce(0) { $0 &+ $1.nanoseconds }
        // On the clock of a terminal in this process responses take no time.
        add(run, run.nanoseconds > 0 ? tap.exchanges : [], index, ledger)
        if failsFast, !run.verdict.isAcceptable { return false }
      }
    } catch {
      add(ScenarioRun(number: 1, verdict: .error("\(error)")), [], index, ledger)
      return !failsFast
    }
    return true
  }

  private static func verdict(
    _ tap: TerminalTap, _ severity: TerminalTest.Severity, _ check: inout TerminalCheck
  ) -> ScenarioRun.Verdict {
    let failures = check.failures(in: tap)
    if !failures.isEmpty { return severity == .warning ? .warned(failures) : .failed(failures) }
    return check.lacksObservation(tap) ? .notJudged("nobody reported what the terminal showed") : .passed
  }

  private func add(_ run: ScenarioRun, _ exchanges: [Exchange], _ index: Int, _ ledger: ScenarioLedger) {
    observe(run, ledger.add(run, exchanges, toSeries: index), index)
  }
}

internal import EMVData
internal import EMVTerminal
internal import ISO7816
internal import Links
internal import Octets
public import PaymentAcceptance
public import Transcripts

/// Makes the taps of scenarios, one after the other, and compares each with the expectations of its scenario.
public struct ScenarioRunner: Sendable {
  /// A scenario and the number of its taps, 1 or more.
  public typealias Item = (file: ScenarioFile, count: Int)
  /// Opens the place of a scenario's taps: once, before the first tap. An error is the verdict on that tap, and no
  /// further tap of the scenario is made; `ScenarioNotJudged` is a verdict of its own.
  public typealias Opener = @Sendable (_ file: ScenarioFile, _ taps: Int) async throws -> any PaymentPlace
  /// Writes the recording of a tap, unredacted, and returns the path of the file; nil for no recording.
  public typealias Recorder =
    @Sendable (
      _ transcript: Transcript, _ file: ScenarioFile, _ index: Int, _ number: Int
    ) throws -> String

  /// The wait for a card in seconds, in place of what the scenarios have; nil for what they have, or 60.
  public var timeout: Int?
  /// Whether the run ends at the first tap that does not pass.
  public var failsFast = false
  /// Whether the card stays at the reader between taps.
  public var cardStays = false
  /// Puts the card's values into words for reports.
  public var disclosure: ScenarioCheck.Disclosure = { node, _ in DataElement.text(of: node.tag, node.value) }
  /// Writes a recording of each tap; nil for none.
  public var record: Recorder?
  /// Puts the exchanges of a tap that did not pass into words, for its results; nil for none.
  ///
  /// - Parameters: The exchanges, unredacted, and the verdict.
  public var explain: (@Sendable (Transcript, ScenarioRun.Verdict) -> [String])?
  /// Receives the prompts for the person at the reader.
  public var prompt: @Sendable (String) -> Void = { _ in }
  /// Receives each tap with its series when it was made.
  public var observe: @Sendable (ScenarioRun, ScenarioSeries, _ isAttended: Bool) -> Void = { _, _, _ in }
  /// Receives each tap with its payment, before `observe`; nil for a payment that could not begin. The index is that of
  /// the scenario.
  public var examine: @Sendable (_ run: ScenarioRun, _ result: PaymentResult?, _ index: Int) -> Void = { _, _, _ in }
  /// Opens the place of a scenario with steps; nil where no such place is.
  public var openCard: CardOpener?
  /// Whether scenarios are run that spend many uses or may block the card.
  public var isDestructive = false
  private let open: Opener

  /// Creates a runner.
  public init(open: @escaping Opener) {
    self.open = open
  }

  /// Runs scenarios and returns their results.
  public func run(_ files: [Item]) async -> [ScenarioSeries] {
    let ledger = ScenarioLedger(files.map { ScenarioSeries($0.file, count: $0.count) })
    await run(files, into: ledger)
    return ledger.close() ?? []
  }

  /// Runs scenarios, and adds every tap to a ledger whose series are those of the scenarios.
  public func run(_ files: [Item], into ledger: ScenarioLedger) async {
    var isFirst = true
    for (index, (file, count)) in files.enumerated() {
      guard await run(file, index, count, ledger, &isFirst) else { return }
    }
  }

  // What the taps of a scenario share.
  private struct Setup {
    let place: any PaymentPlace
    let check: ScenarioCheck
    /// The terminal's profile of the recording that is replayed next.
    private var recorded: String?
    /// Compiled once, and again when the next recording has another terminal.
    private(set) var terminal: ScenarioFile.Terminal

    init(_ place: any PaymentPlace, _ file: ScenarioFile, _ check: ScenarioCheck) throws {
      (self.place, self.check) = (place, check)
      recorded = place.recording?[.terminal]
      terminal = try file.terminal(recorded: recorded.map { Array($0.utf8) })
    }

    mutating func prepare(_ file: ScenarioFile) throws {
      let next = place.recording?[.terminal]
      guard next != recorded else { return }
      terminal = try file.terminal(recorded: next.map { Array($0.utf8) })
      recorded = next
    }
  }

  // Returns whether to go on with the next scenario.
  private func run(
    _ file: ScenarioFile, _ index: Int, _ count: Int, _ ledger: ScenarioLedger, _ isFirst: inout Bool
  ) async -> Bool {
    if file.scenario.terminalTest != nil {
      let reason = "the scenario judges a terminal: use --link in place of --reader"
      add(ScenarioRun(number: 1, verdict: .notApplicable(reason)), index, ledger)
      return true
    }
    if let test = file.scenario.cardTest {
      return await run(file, test, index, count, ledger, &isFirst)
    }
    let setup: Setup
    do {
      let place = try await open(file, count)
      try await place.check()
      setup = try Setup(place, file, ScenarioCheck(file.scenario.expectations, show: disclosure))
    } catch {
      let run = ScenarioRun(number: 1, endedBy: error)
      add(run, index, ledger)
      return !failsFast || run.verdict.isAcceptable
    }
    return await withTaskExecutorPreference(setup.place.executor) {
      await run(file, index, count, at: setup, ledger, &isFirst)
    }
  }

  // Returns whether to go on with the next scenario.
  private func run(
    _ file: ScenarioFile, _ index: Int, _ count: Int, at setup: Setup, _ ledger: ScenarioLedger, _ isFirst: inout Bool
  ) async -> Bool {
    var setup = setup
    let place = setup.place
    for number in 1...count {
      var run: ScenarioRun
      var result: PaymentResult?
      var begun: WallTime?
      do {
        if place.isAttended {
          try await invite(file, number, count, isFirst: isFirst, by: "Hold the card at the reader.") {
            try await place.waitForRemoval(timeout: $0)
          }
        }
        begun = SystemWallClock().now
        try setup.prepare(file)
        (run, result) = try await take(setup, file, index, number)
      } catch {
        run = ScenarioRun(number: number, endedBy: error)
      }
      run.begun = begun
      // A tap without a card leaves none to take away.
      if run.exchangeCount > 0 { isFirst = false }
      // Only a tap that came to an outcome has latencies.
      let exchanges = (try? result?.get())?.record.exchanges ?? []
      add(run, index, ledger, result, exchanges, isReal: setup.place.isAttended)
      if failsFast, !run.verdict.isAcceptable { return false }
    }
    return true
  }

  func add(
    _ run: ScenarioRun, _ index: Int, _ ledger: ScenarioLedger, _ result: PaymentResult? = nil,
    _ exchanges: [Exchange] = [], isReal: Bool = false
  ) {
    examine(run, result, index)
    observe(run, ledger.add(run, exchanges, toSeries: index), isReal)
  }

  func seconds(_ file: ScenarioFile) -> Duration { .seconds(timeout ?? file.scenario.timeout ?? 60) }

  /// Asks the person at the reader for a tap, after the card of the tap before is away.
  func invite(
    _ file: ScenarioFile, _ number: Int, _ count: Int, isFirst: Bool, by standardPrompt: String,
    waitForRemoval: (Duration) async throws -> Void
  ) async throws {
    if !isFirst, !cardStays {
      prompt("Take the card away ...")
      try await waitForRemoval(seconds(file))
    }
    let scenario = file.scenario
    prompt("\(scenario.name), tap \(number) of \(count) (\(file.price)): \(scenario.prompt ?? standardPrompt)")
  }

  private func take(
    _ setup: Setup, _ file: ScenarioFile, _ index: Int, _ number: Int
  ) async throws -> (ScenarioRun, PaymentResult?) {
    let scenario = file.scenario
    let recording = setup.place.recording
    if let truncation = recording?.truncation { throw ScenarioNotJudged("\(truncation)") }
    let terminal = PaymentAcceptance(
      configuration: setup.terminal.configuration, host: scenario.issuer.host(setup.place.host()),
      restarts: RestartLimits(count: scenario.restarts, duration: seconds(file)))
    let request = try file.request(at: terminal.configuration, moment: setup.place.moment)
    let result = try await PaymentResult { try await setup.place.take(request, at: terminal) }
    let condition = try await setup.place.cardCondition()
    var run = ScenarioRun(number: number, verdict: verdict(result, condition, scenario, setup.check, recording))
    if case .error = run.verdict, case .failure(let failure) = result { run.cause = failure }
    run.exchangeCount = result.record.exchanges.count
    run.nanoseconds = result.record.cardNanoseconds
    run.card = result.record.cards.first
    if !run.verdict.isPassed { run.explanation = explain?(result.record.transcript, run.verdict) ?? [] }
    run.recording = try record?(result.transcript(ofTerminal: setup.terminal.profile), file, index, number)
    if case .success(let receipt) = result { run.outcome = receipt.outcome.kind.rawValue }
    return (run, result)
  }

  private func verdict(
    _ result: PaymentResult, _ condition: CardCondition?, _ scenario: TapScenario, _ check: ScenarioCheck,
    _ recording: Transcript?
  ) -> ScenarioRun.Verdict {
    if case .failure(let failure) = result,
      !scenario.expectations.errors.contains(where: { $0 == failure.linkError?.code })
    {
      // No reader failed here: the recording ends before the payment does.
      let isTorn = recording?.exchanges.last.map { $0.response == nil } ?? false
      return isTorn && failure.linkError?.code != .recordingDiffers ? .notJudged("\(failure)") : .error("\(failure)")
    }
    let failures = check.failures(in: result, condition)
    return failures.isEmpty ? .passed : .failed(failures)
  }
}

internal import EMVTerminal
internal import Links
internal import Octets
internal import PaymentAcceptance
internal import Transcripts

/// Judges a card by payments.
struct PaymentJudge: ScenarioJudge {
  private let scenario: RunningScenario
  private let place: any PaymentPlace
  private let check: ScenarioCheck
  /// The terminal's profile of the recording that is replayed next.
  private var recorded: String?
  /// Compiled once, and again when the next recording has another terminal.
  private var terminal: ScenarioFile.Terminal

  var executor: (any TaskExecutor)? { place.executor }

  init(_ scenario: RunningScenario, _ place: any PaymentPlace) async throws {
    try await place.check()
    (self.scenario, self.place) = (scenario, place)
    check = ScenarioCheck(scenario.file.scenario.expectations, show: scenario.show)
    recorded = place.recording?[.terminal]
    terminal = try scenario.file.terminal(recorded: recorded.map { Array($0.utf8) })
  }

  /// An error is the verdict on its own tap.
  mutating func tap(_ number: Int, _ invitation: inout CardInvitation) async -> JudgedTap? {
    var run: ScenarioRun
    var payment: PaymentResult?
    var begun: WallTime?
    do {
      if place.isAttended {
        try await invitation.invite(to: number, of: scenario, by: "Hold the card at the reader.") { [place] in
          try await place.waitForRemoval(timeout: $0)
        }
      }
      begun = SystemWallClock().now
      try prepare()
      let recording = place.recording
      let result = try await take(recording)
      (run, payment) = (try await judged(result, number, recording), result)
    } catch {
      run = ScenarioRun(number: number, endedBy: error)
    }
    run.begun = begun
    // A tap without a card leaves none to take away.
    if run.exchangeCount > 0 { invitation.hasCard = true }
    // Only a tap that came to an outcome has latencies.
    return JudgedTap(run, (try? payment?.get())?.record.exchanges ?? [], payment: payment)
  }

  private mutating func prepare() throws {
    let next = place.recording?[.terminal]
    guard next != recorded else { return }
    terminal = try scenario.file.terminal(recorded: next.map { Array($0.utf8) })
    recorded = next
  }

  private func take(_ recording: Transcript?) async throws -> PaymentResult {
    if let truncation = recording?.truncation { throw ScenarioNotJudged("\(truncation)") }
    let (file, place) = (scenario.file, place)
    let acceptance = PaymentAcceptance(
      configuration: terminal.configuration, host: file.scenario.issuer.host(place.host()),
      restarts: RestartLimits(count: file.scenario.restarts, duration: scenario.wait))
    let request = try file.request(at: acceptance.configuration, moment: place.moment)
    return try await PaymentResult { try await place.take(request, at: acceptance) }
  }

  private func judged(
    _ result: PaymentResult, _ number: Int, _ recording: Transcript?
  ) async throws -> ScenarioRun {
    var run = ScenarioRun(number: number, verdict: verdict(result, try await place.cardCondition(), recording))
    if case .error = run.verdict, case .failure(let failure) = result { run.cause = failure }
    run.exchangeCount = result.record.exchanges.count
    run.nanoseconds = result.record.cardNanoseconds
    run.card = result.record.cards.first
    scenario.explain(&run, by: result.record.transcript)
    run.recording = try scenario.observer.record(
      result.transcript(ofTerminal: terminal.profile), of: scenario.file, scenario.index, number)
    if case .success(let receipt) = result { run.outcome = receipt.outcome.kind.rawValue }
    return run
  }

  private func verdict(
    _ result: PaymentResult, _ condition: CardCondition?, _ recording: Transcript?
  ) -> ScenarioRun.Verdict {
    if case .failure(let failure) = result,
      !scenario.file.scenario.expectations.errors.contains(where: { $0 == failure.linkError?.code })
    {
      // No reader failed here: the recording ends before the payment does.
      let isTorn = recording?.exchanges.last.map { $0.response == nil } ?? false
      return isTorn && failure.linkError?.code != .recordingDiffers ? .notJudged("\(failure)") : .error("\(failure)")
    }
    let failures = check.failures(in: result, condition)
    return failures.isEmpty ? .passed : .failed(failures)
  }
}

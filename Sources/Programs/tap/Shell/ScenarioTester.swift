import EMVData
import EMVTerminal
import Foundation
import ISO7816
import Links
import PaymentAcceptance
import TapScenarios
import Transcripts

/// Where `tap test` finds its cards.
enum TestReader: Sendable {
  /// In this process, the card that each scenario names.
  case scenarioCards
  case reader(ReaderName)
}

/// Makes the taps of scenarios, one after the other, and holds each against what its scenario expects.
struct ScenarioTester: Sendable {
  let reader: TestReader
  /// In place of what the scenarios say; nil for what they say.
  let timeout: Int?
  let failsFast: Bool
  /// Whether the card stays at the reader between taps.
  let cardStays: Bool
  /// Where recordings are kept; nil for none.
  let recordings: RecordingDirectory?
  let disclosure: Disclosure
  let ledger: TestLedger
  /// Hears of every tap.
  let tell: @Sendable (ScenarioRun, ScenarioSeries, _ isReal: Bool) -> Void

  /// Makes all taps, or those up to the first that does not pass.
  func run(_ files: [(file: ScenarioFile, count: Int)]) async {
    var isFirst = true
    for (index, (file, count)) in files.enumerated() {
      guard await run(file, index, count, &isFirst) else { return }
    }
  }

  /// - Returns: Whether to go on with the next scenario.
  private func run(_ file: ScenarioFile, _ index: Int, _ count: Int, _ isFirst: inout Bool) async -> Bool {
    var tap: ReaderTap?
    for number in 1...count {
      let run: ScenarioRun
      var exchanges: [Exchange] = []
      do {
        let ready = if let tap { tap } else { try await open(file, taps: count) }
        tap = ready
        try await invite(ready, file, number, count, isFirst: isFirst)
        (run, exchanges) = try await take(ready, file, index, number)
      } catch {
        run = ScenarioRun(number: number, verdict: .error("\(error)"))
      }
      // Who has laid no card on the reader has none to take away.
      if run.exchangeCount > 0 { isFirst = false }
      tell(run, ledger.add(run, exchanges, toSeries: index), tap?.isReal == true)
      if failsFast, !run.verdict.isPassed { return false }
      // Nothing that the next tap could change.
      if tap == nil { return true }
    }
    return true
  }

  private func open(_ file: ScenarioFile, taps: Int) async throws -> ReaderTap {
    let scenario = file.scenario
    let name: ReaderName =
      switch reader {
      case .scenarioCards: .loopback(cardFile: try file.card())
      case .reader(let name): name
      }
    // A card that is verified by nobody answers without its faults.
    let isLoopback = if case .loopback = name { true } else { false }
    var tap = try await ReaderTap(name, taps: taps, faults: isLoopback && scenario.card.isFaulty ? .text : nil)
    tap.timeout = .seconds(timeout ?? scenario.timeout ?? 60)
    (tap.restarts, tap.issuer) = (scenario.restarts, scenario.hasIssuer ? .test : .none)
    tap.isVerified = scenario.card.isVerified
    return tap
  }

  /// Tells the person at a real reader what to do.
  private func invite(
    _ tap: ReaderTap, _ file: ScenarioFile, _ number: Int, _ count: Int, isFirst: Bool
  ) async throws {
    guard tap.isReal else { return }
    if !isFirst, !cardStays {
      Console.note("Take the card away ...")
      try await tap.waitForRemoval()
    }
    let scenario = file.scenario
    let what = scenario.prompt ?? "Hold the card at the reader."
    Console.note("\(scenario.name), tap \(number) of \(count) (\(file.price)): \(what)")
  }

  private func take(
    _ tap: ReaderTap, _ file: ScenarioFile, _ index: Int, _ number: Int
  ) async throws -> (ScenarioRun, [Exchange]) {
    let recorded = tap.recording?[.terminal].map { Array($0.utf8) }
    let configuration = try file.configuration(recorded: recorded)
    let moment = file.moment(tap.moment)
    let request = try file.request(at: configuration, moment: moment)
    let result = try await tap.run(request, at: configuration)
    var run = ScenarioRun(number: number, verdict: verdict(result, file.scenario))
    if case .success(let receipt) = result { run.outcome = receipt.outcome.kind.rawValue }
    run.exchangeCount = result.record.exchanges.count
    run.nanoseconds = result.record.cardNanoseconds
    if let recordings {
      let transcript = result.transcript(ofTerminal: file.profile ?? recorded ?? ShippedTerminal.profile)
      run.recording = try recordings.write(disclosure.shown(transcript), of: file, index, number)
    }
    let isWhole = if case .success = result { true } else { false }
    return (run, isWhole ? result.record.exchanges : [])
  }

  private func verdict(_ result: PaymentResult, _ scenario: TapScenario) -> ScenarioRun.Verdict {
    if case .failure(let failure) = result,
      !scenario.expectations.errors.contains(where: { $0 == failure.linkError?.code })
    {
      return .error("\(failure)")
    }
    let disclosure = disclosure
    let check = ScenarioCheck(scenario.expectations) { node, number in
      number.map { disclosure.shown(node, of: $0) } ?? DataElement.text(of: node.tag, node.value)
    }
    let failures = check.failures(in: result)
    return failures.isEmpty ? .passed : .failed(failures)
  }
}

internal import EMVTerminal
internal import Links
internal import Octets
internal import PaymentAcceptance
internal import Transcripts

/// Where a scenario with steps finds its card.
public struct CardTestPlace: Sendable {
  /// Whether a person holds the card, and must take it away between two taps.
  public let isAttended: Bool
  /// Whether a recording answers in place of a card. A recording that ends within a tap is not judged, and no error.
  public let isRecorded: Bool
  /// Makes the tap of a number, from 1; the wait for a card is the longest one.
  public let tap: @Sendable (_ number: Int, _ wait: Duration) async throws -> CardTap
  /// Waits until the card of the last tap has left.
  public let waitForRemoval: @Sendable (_ wait: Duration) async throws -> Void

  /// Creates a place.
  public init(
    isAttended: Bool, isRecorded: Bool = false,
    tap: @escaping @Sendable (_ number: Int, _ wait: Duration) async throws -> CardTap,
    waitForRemoval: @escaping @Sendable (_ wait: Duration) async throws -> Void = { _ in }
  ) {
    (self.isAttended, self.isRecorded) = (isAttended, isRecorded)
    (self.tap, self.waitForRemoval) = (tap, waitForRemoval)
  }
}

extension ScenarioNotApplicable {
  /// Creates the verdict for a place that cannot make a scenario.
  ///
  /// - Parameter reason: The reason as a sentence.
  public init(_ reason: String) { self.init(description: reason) }

  /// The verdict for a scenario that needs `--destructive`.
  public static let destructive = ScenarioNotApplicable(
    "the scenario spends many uses or may block the card: --destructive runs it")
}

extension ScenarioRunner {
  /// Opens the place of a scenario with steps, before its first tap. `ScenarioNotApplicable` and `ScenarioNotJudged` are
  /// verdicts.
  public typealias CardOpener = @Sendable (_ file: ScenarioFile, _ taps: Int) async throws -> CardTestPlace

  // Returns whether to go on with the next scenario.
  func run(
    _ file: ScenarioFile, _ test: CardTest, _ index: Int, _ count: Int, _ ledger: ScenarioLedger, _ isFirst: inout Bool
  ) async -> Bool {
    if test.isDestructive, !isDestructive {
      add(ScenarioRun(number: 1, endedBy: ScenarioNotApplicable.destructive), index, ledger)
      return true
    }
    var check = CardCheck(test, show: disclosure)
    var number = 1
    do {
      guard let place = try await openCard?(file, count) else { throw ScenarioFileError("no card can be judged here") }
      while number <= count {
        let (run, exchanges): (ScenarioRun, [Exchange])
        do {
          (run, exchanges) = try await take(file, index, number, count, at: place, &check, isFirst: isFirst)
        } catch let reason as ScenarioNotJudged where reason.isOfOneTap {
          (run, exchanges) = (ScenarioRun(number: number, endedBy: reason), [])
        }
        isFirst = false
        add(run, index, ledger, nil, exchanges, isReal: place.isAttended)
        if case .notApplicable = run.verdict { return true }
        // Without a card each further tap would wait for its whole time.
        if case .error = run.verdict { return !failsFast }
        if failsFast, !run.verdict.isAcceptable { return false }
        number += 1
      }
      return true
    } catch let error as LinkError where error.code == .recordingDiffers {
      add(ScenarioRun(number: number, verdict: .notJudged("\(error)")), index, ledger)
      return true
    } catch {
      let run = ScenarioRun(number: number, endedBy: error)
      add(run, index, ledger)
      return !failsFast || run.verdict.isAcceptable
    }
  }

  private func take(
    _ file: ScenarioFile, _ index: Int, _ number: Int, _ count: Int, at place: CardTestPlace, _ check: inout CardCheck,
    isFirst: Bool
  ) async throws -> (ScenarioRun, [Exchange]) {
    if place.isAttended {
      try await invite(
        file, number, count, isFirst: isFirst, by: file.scenario.card.defaultPrompt,
        waitForRemoval: place.waitForRemoval)
    }
    let begun = SystemWallClock().now
    let tap = try await place.tap(number, seconds(file))
    var run = ScenarioRun(number: number, verdict: Self.verdict(tap, number, file.scenario.packTest?.severity, &check))
    if place.isRecorded, case .error(let reason) = run.verdict { run.verdict = .notJudged(reason) }
    if case .error = run.verdict { run.cause = tap.lost }
    run.begun = begun
    run.exchangeCount = tap.exchanges.count
    run.nanoseconds = tap.exchanges.reduce(0) { $0 &+ $1.nanoseconds }
    if let transcript = tap.transcript {
      if !run.verdict.isPassed { run.explanation = explain?(transcript, run.verdict) ?? [] }
      let recording = file.scenario.cardTest.flatMap { tap.recording(of: $0, number) } ?? transcript
      run.keep(recording, of: file, index, by: record)
    }
    return (run, place.isAttended ? tap.exchanges : [])
  }

  // A recording that cannot be written is an error of a tap that passed, and does not hide what a tap has failed.
  private static func verdict(
    _ tap: CardTap, _ number: Int, _ severity: PackTest.Severity?, _ check: inout CardCheck
  ) -> ScenarioRun.Verdict {
    if let lost = tap.lost {
      let certain = check.certainFailures(in: tap)
      return certain.isEmpty ? .error("\(lost)") : severity == .warning ? .warned(certain) : .failed(certain)
    }
    // A card whose first tap was judged has what the scenario judges.
    if tap.isNotApplicable, number == 1 {
      return .notApplicable("the card does not have the application, or the mode of kernel 2, that the scenario judges")
    }
    let failures = check.failures(in: tap)
    let late = check.lateness(in: tap)
    if failures.isEmpty, tap.linkShare == nil || late.isEmpty { return late.isEmpty ? .passed : .warned(late) }
    return severity == .warning ? .warned(failures + late) : .failed(failures + late)
  }
}

extension TapScenario.Card {
  /// What a person must do with the card.
  fileprivate var defaultPrompt: String {
    isVerified ? "Hold the card at the reader." : "Hold the locked device at the reader."
  }
}

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

/// Judges a card by single commands.
struct CardJudge: ScenarioJudge {
  private let scenario: RunningScenario
  private let test: CardTest
  private let place: CardTestPlace
  private var check: CardCheck

  init(_ scenario: RunningScenario, _ test: CardTest, _ place: CardTestPlace) {
    (self.scenario, self.test, self.place) = (scenario, test, place)
    check = CardCheck(test, show: scenario.show)
  }

  mutating func tap(_ number: Int, _ invitation: inout CardInvitation) async throws -> JudgedTap? {
    if place.isAttended {
      try await invitation.invite(
        to: number, of: scenario, by: scenario.file.scenario.card.defaultPrompt, waitForRemoval: place.waitForRemoval)
    }
    let begun = SystemWallClock().now
    let tap = try await made(number)
    invitation.hasCard = true
    var run = judged(tap, number)
    run.begun = begun
    return JudgedTap(run, place.isAttended ? tap.exchanges : [], isLast: run.verdict.endsCardTest)
  }

  private func made(_ number: Int) async throws -> CardTap {
    do {
      return try await place.tap(number, scenario.wait)
    } catch let error as LinkError where error.code == .recordingDiffers {
      throw ScenarioNotJudged("\(error)")
    }
  }

  private mutating func judged(_ tap: CardTap, _ number: Int) -> ScenarioRun {
    var run = ScenarioRun(number: number, verdict: verdict(tap, number))
    if case .error(let reason) = run.verdict {
      if place.isRecorded { run.verdict = .notJudged(reason) } else { run.cause = tap.lost }
    }
    run.exchangeCount = tap.exchanges.count
    run.nanoseconds = tap.exchanges.reduce(0) { $0 &+ $1.nanoseconds }
    if let transcript = tap.transcript {
      scenario.explain(&run, by: transcript)
      scenario.keep(tap.recording(of: test, number) ?? transcript, &run)
    }
    return run
  }

  private mutating func verdict(_ tap: CardTap, _ number: Int) -> ScenarioRun.Verdict {
    let severity = scenario.file.scenario.packTest?.severity
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

extension ScenarioRun.Verdict {
  /// Whether the card has nothing that the scenario judges, or has left: each further tap would wait for its whole time.
  fileprivate var endsCardTest: Bool {
    switch self {
    case .notApplicable, .error: true
    default: false
    }
  }
}

extension TapScenario.Card {
  /// What a person must do with the card.
  fileprivate var defaultPrompt: String {
    isVerified ? "Hold the card at the reader." : "Hold the locked device at the reader."
  }
}

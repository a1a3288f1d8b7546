public import PaymentAcceptance
internal import Synchronization
public import TapScenarios
public import Transcripts

/// The taps of a test run that its report shows: of each scenario the first, and those that failed or had warnings, within limits.
///
/// Safe to use from any thread. Only what is shown is kept, so that thousands of taps need no more memory.
public final class TapSelection: Sendable {
  /// The largest number of taps on a page that passed, were not applicable or not judged.
  public static let tapLimit = 100
  /// The largest number of other taps on a page.
  public static let failedTapLimit = 500
  /// The largest number of taps of one scenario on a page.
  public static let scenarioTapLimit = 20

  struct Tap: Sendable {
    let run: ScenarioRun
    /// Nil for a tap at which no payment began.
    let payment: ReportedTap?
  }

  private let redact: @Sendable (Transcript) -> Transcript
  private let kept = Mutex<[Int: [Tap]]>([:])

  /// Creates an empty selection.
  ///
  /// - Parameter redact: Returns a transcript as it may be shown.
  public init(redact: @escaping @Sendable (Transcript) -> Transcript) { self.redact = redact }

  /// Keeps a tap if the report shows it.
  ///
  /// - Parameters:
  ///   - result: The payment; nil when it could not begin.
  ///   - series: The index of the scenario.
  public func add(_ run: ScenarioRun, _ result: PaymentResult?, ofSeries series: Int) {
    kept.withLock { kept in
      let own = kept[series]?.count ?? 0
      let same = kept.values.joined().count { $0.run.verdict.hasDifferences == run.verdict.hasDifferences }
      guard
        run.verdict.hasDifferences
          ? own < Self.scenarioTapLimit && same < Self.failedTapLimit : own == 0 && same < Self.tapLimit
      else { return }
      let record = result?.record
      kept[series, default: []].append(
        Tap(run: run, payment: record.map { ReportedTap($0, shown: redact($0.transcript)) }))
    }
  }

  /// The number of taps that are kept.
  public var count: Int { kept.withLock { $0.values.reduce(0) { $0 + $1.count } } }

  func taps(ofSeries series: Int) -> [Tap] { kept.withLock { $0[series] ?? [] } }
}

extension ScenarioRun.Verdict {
  fileprivate var hasDifferences: Bool {
    switch self {
    case .failed, .warned, .error: true
    case .passed, .notApplicable, .notJudged: false
    }
  }
}

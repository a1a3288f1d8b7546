internal import Octets

/// How many scenarios of a run, and how many of their taps, have each verdict.
///
/// The verdict of a scenario is the worst one of its taps. All reports of a run have these counts.
public struct ScenarioCounts: Encodable, Equatable, Sendable {
  /// The numbers of scenarios, or of taps, by verdict.
  public struct Verdicts: Encodable, Equatable, Sendable {
    /// The sum of all others.
    public let total: Int
    /// Everything was as expected.
    public let passed: Int
    /// An expectation was not met.
    public let failed: Int
    /// A reader, a link or a file made the tap impossible.
    public let errors: Int
    /// An expectation was not met whose differences are warnings.
    public let warnings: Int
    /// Scenarios that cannot be made here. They have no taps.
    public let notApplicable: Int
    /// Something was not seen.
    public let notJudged: Int
    /// Taps that were not made, and scenarios that lack taps, because the run ended before.
    public let notRun: Int
  }

  /// The scenarios.
  public let scenarios: Verdicts
  /// The taps of all scenarios.
  public let taps: Verdicts

  /// Counts the results of a run.
  public init(_ series: [ScenarioSeries]) {
    scenarios = Verdicts(series.map(\.verdict))
    taps = Verdicts(
      series.flatMap { series in
        series.runs.filter(\.verdict.isApplicable).map { SeriesVerdict($0.verdict) }
          + repeatElement(.notRun, count: series.missing)
      })
  }

  /// The counts as one sentence, which has the verdicts of taps when some did not pass: `13 scenarios: 13 passed, 0 failed, 0
  /// errors; 386 taps`.
  public var text: String {
    let verdicts = taps.passed == taps.total ? "" : ": " + taps.occurring.joined(separator: ", ")
    return "\(scenarios.total.counted("scenario")): \(scenarios.text); \(taps.total.counted("tap"))\(verdicts)"
  }
}

extension ScenarioCounts.Verdicts {
  init(_ verdicts: [SeriesVerdict]) {
    let count = { (verdict: SeriesVerdict) in verdicts.count { $0 == verdict } }
    total = verdicts.count
    (passed, failed, errors, warnings) = (count(.passed), count(.failed), count(.error), count(.warning))
    (notApplicable, notJudged, notRun) = (count(.notApplicable), count(.notJudged), count(.notRun))
  }

  /// Passed, failed and errors always, the others when they occur.
  fileprivate var text: String {
    let always = ["\(passed) passed", "\(failed) failed", errors.counted("error")]
    return (always + further).joined(separator: ", ")
  }

  /// The verdicts that occur.
  fileprivate var occurring: [String] {
    [(passed, "\(passed) passed"), (failed, "\(failed) failed"), (errors, errors.counted("error"))]
      .filter { $0.0 > 0 }.map(\.1) + further
  }

  private var further: [String] {
    [
      (warnings, warnings.counted("warning")), (notApplicable, "\(notApplicable) not applicable"),
      (notJudged, "\(notJudged) not judged"), (notRun, "\(notRun) not made"),
    ].filter { $0.0 > 0 }.map(\.1)
  }
}

/// The verdict on all taps of a scenario, from the best to the worst.
public enum SeriesVerdict: Int, Comparable, Sendable {
  case notApplicable
  case passed
  case warning
  case notRun
  case notJudged
  case failed
  case error

  /// The verdict on a scenario with this tap alone.
  init(_ verdict: ScenarioRun.Verdict) {
    self =
      switch verdict {
      case .passed: .passed
      case .failed: .failed
      case .error: .error
      case .warned: .warning
      case .notApplicable: .notApplicable
      case .notJudged: .notJudged
      }
  }

  /// Whether a verdict is better than another one.
  public static func < (left: SeriesVerdict, right: SeriesVerdict) -> Bool { left.rawValue < right.rawValue }
}

extension ScenarioSeries {
  /// The worst verdict on its taps; `notRun` when taps were not made and no verdict is worse.
  public var verdict: SeriesVerdict {
    let made = runs.map { SeriesVerdict($0.verdict) }.max()
    return missing > 0 ? max(made ?? .notRun, .notRun) : made ?? .notRun
  }
}

extension [ScenarioSeries] {
  /// How many scenarios, and how many of their taps, have each verdict.
  public var counts: ScenarioCounts { ScenarioCounts(self) }

  /// The counts as one sentence.
  public var sums: String { counts.text }
}

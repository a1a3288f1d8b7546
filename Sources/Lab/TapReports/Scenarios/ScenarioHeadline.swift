internal import Octets
internal import TapScenarios

/// The result of a run in one line.
struct ScenarioHeadline {
  let result: ReportPage.Result
  let text: String

  init(_ verdicts: [SeriesVerdict], isInterrupted: Bool) {
    let all = verdicts.count.counted("scenario")
    let bad = verdicts.count(where: \.isBad)
    let (passed, warned) = (verdicts.count { $0 == .passed }, verdicts.count { $0 == .warning })
    if isInterrupted {
      let open = verdicts.count { $0 == .notRun }
      (result, text) = (.failed, "Interrupted: \(bad - open) of \(all) not passed, \(open) not complete")
    } else if bad > 0 {
      let isFailure = verdicts.allSatisfy { !$0.isBad || $0 == .failed }
      (result, text) = (.failed, "\(bad) of \(all) \(isFailure ? "failed" : "did not pass")")
    } else if passed + warned == 0 {
      (result, text) = (.warned, "No scenario was judged")
    } else if warned > 0 {
      (result, text) = (.warned, "\((passed + warned).counted("scenario")) passed, \(warned) with warnings")
    } else {
      (result, text) = (.passed, "\(passed.counted("scenario")) passed")
    }
  }
}

internal import DisplayText
internal import TapScenarios

extension SeriesVerdict {
  /// The word of a row.
  var word: String {
    switch self {
    case .notApplicable: "not applicable"
    case .passed: "passed"
    case .warning: "warning"
    case .notRun: "not made"
    case .notJudged: "not judged"
    case .failed: "failed"
    case .error: "error"
    }
  }

  /// Whether the run has not passed because of this scenario.
  var isBad: Bool { self >= .notRun }

  /// The class of its row.
  var row: HTML { isBad ? "failed" : self == .warning ? "warned" : "passed" }

  /// The class of its word.
  var mark: HTML { isBad ? "bad" : self == .warning ? "warn" : "dim" }
}

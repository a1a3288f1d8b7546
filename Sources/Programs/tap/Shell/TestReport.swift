import ArgumentParser
import ISO7816
import TapScenarios

/// The results of `tap test` as one JSON document.
struct TestReport: Encodable {
  struct Counts: Encodable {
    let scenarios: Int
    let taps: Int
    let passed: Int
    let failed: Int
    let errors: Int
    let notRun: Int
  }

  struct Scenario: Encodable {
    let name: String
    let file: String
    let description: String?
    let taps: [Tap]
    let notRun: Int
    /// Percentiles over all taps that came to an outcome, in nanoseconds.
    let latencies: LatencyReport
  }

  struct Tap: Encodable {
    let number: Int
    let result: String
    let outcome: String?
    let exchanges: Int
    let nanoseconds: Int64
    let failures: [Failure]
    let error: String?
    let recording: String?
  }

  struct Failure: Encodable {
    let exchange: Int?
    let command: String?
    let tag: String?
    let element: String
    let expected: String
    let got: String
    let message: String
  }

  /// Whether every tap was made and passed.
  let passed: Bool
  let interrupted: Bool
  let counts: Counts
  let scenarios: [Scenario]

  init(_ series: [ScenarioSeries], interrupted: Bool) {
    self.interrupted = interrupted
    scenarios = series.map(Scenario.init)
    let notRun = series.reduce(0) { $0 + $1.missing }
    counts = Counts(
      scenarios: series.count, taps: series.reduce(0) { $0 + $1.runs.count }, passed: series.count("passed"),
      failed: series.count("failed"), errors: series.count("error"), notRun: notRun)
    passed = notRun == 0 && series.exitCode == .success
  }
}

extension TestReport.Scenario {
  init(_ series: ScenarioSeries) {
    (name, file, description) = (series.name, series.path, series.description)
    taps = series.runs.map(TestReport.Tap.init)
    (notRun, latencies) = (series.missing, series.latencies)
  }
}

extension TestReport.Tap {
  init(_ run: ScenarioRun) {
    (number, result, outcome) = (run.number, run.verdict.name, run.outcome)
    (exchanges, nanoseconds, recording) = (run.exchangeCount, run.nanoseconds, run.recording)
    switch run.verdict {
    case .passed: (failures, error) = ([], nil)
    case .failed(let all): (failures, error) = (all.map(TestReport.Failure.init), nil)
    case .error(let message): (failures, error) = ([], message)
    }
  }
}

extension TestReport.Failure {
  init(_ failure: ScenarioFailure) {
    (exchange, command, tag) = (failure.exchange, failure.command, failure.tag?.description)
    (element, expected, got) = (failure.element, failure.expected, failure.got)
    message = failure.description
  }
}

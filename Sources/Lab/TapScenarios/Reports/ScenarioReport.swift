internal import ISO7816

/// The results of a run as one JSON document.
public struct ScenarioReport: Encodable, Sendable {
  struct Scenario: Encodable {
    let name: String
    let file: String
    let description: String?
    /// Of a scenario that judges a terminal, or a card by steps.
    let id: String?
    let rule: String?
    /// What the taps were made with, such as the card profile, where it differs from the run.
    let properties: [String: String]
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
    let time: Int64
    let failures: [Failure]
    let error: [String: String]?
    /// Why the tap was not made or not judged.
    let reason: String?
    let recording: String?
    /// What the person at the terminal wrote down.
    let comment: String?

    private enum CodingKeys: String, CodingKey {
      case number, result, outcome, exchanges, failures, error, reason, recording, comment
      case time = "time_ns"
    }
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
  public let passed: Bool
  /// Whether the run was interrupted.
  public let interrupted: Bool
  /// The numbers of scenarios and of taps by verdict.
  public let counts: ScenarioCounts
  /// What the run was made with: reader or link, terminal, versions.
  let properties: [String: String]
  let scenarios: [Scenario]

  /// Creates a report.
  ///
  /// - Parameter properties: What the run was made with, and what each series was made with.
  public init(_ series: [ScenarioSeries], interrupted: Bool, properties: RunProperties = RunProperties()) {
    self.interrupted = interrupted
    self.properties = Dictionary(properties.run) { first, _ in first }
    scenarios = series.map { Scenario($0, properties.own(of: $0)) }
    counts = series.counts
    let taps = counts.taps
    passed =
      taps.notRun + taps.failed + taps.errors + taps.notJudged == 0
      && (series.isEmpty || taps.passed + taps.warnings > 0)
  }
}

extension ScenarioReport.Scenario {
  init(_ series: ScenarioSeries, _ own: [RunProperties.Property]) {
    (name, file, description) = (series.name, series.path, series.description)
    (id, rule, properties) = (series.id, series.rule, Dictionary(own) { first, _ in first })
    taps = series.runs.map(ScenarioReport.Tap.init)
    (notRun, latencies) = (series.missing, series.latencies)
  }
}

extension ScenarioReport.Tap {
  init(_ run: ScenarioRun) {
    (number, result, outcome) = (run.number, run.verdict.name, run.outcome)
    (exchanges, recording, comment) = (run.exchangeCount, run.recording, run.comment)
    reason =
      switch run.verdict {
      case .notApplicable(let text), .notJudged(let text): text
      case .passed, .failed, .warned, .error: nil
      }
    time = run.nanoseconds
    switch run.verdict {
    case .passed, .notApplicable, .notJudged: (failures, error) = ([], nil)
    case .failed(let all), .warned(let all): (failures, error) = (all.map(ScenarioReport.Failure.init), nil)
    case .error(let message): (failures, error) = ([], ["code": "failed", "message": message])
    }
  }
}

extension ScenarioReport.Failure {
  init(_ failure: ScenarioFailure) {
    (exchange, command, tag) = (failure.exchange, failure.command, failure.tag?.description)
    (element, expected, got) = (failure.element, failure.expected, failure.got)
    message = failure.description
  }
}

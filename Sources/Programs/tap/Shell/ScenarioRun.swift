import EMVTerminal
import PaymentAcceptance
import TapScenarios

/// What came of one tap of a scenario.
struct ScenarioRun: Sendable {
  enum Verdict: Sendable {
    case passed
    /// Not as expected.
    case failed([ScenarioFailure])
    /// The link or a file: nothing can be said of the card.
    case error(String)

    var name: String {
      switch self {
      case .passed: "passed"
      case .failed: "failed"
      case .error: "error"
      }
    }

    /// Why, one sentence each; empty for a tap that passed.
    var sentences: [String] {
      switch self {
      case .passed: []
      case .failed(let failures): failures.map(\.description)
      case .error(let message): [message]
      }
    }

    var isPassed: Bool {
      if case .passed = self { true } else { false }
    }
  }

  /// Which tap of the scenario, from 1.
  let number: Int
  let verdict: Verdict
  /// How the payment ended, in words; nil when it came to no outcome.
  var outcome: String?
  var exchangeCount = 0
  /// All exchanges together.
  var nanoseconds: Int64 = 0
  /// The file of its recording, or nil.
  var recording: String?

  /// The line for people.
  func line(_ series: ScenarioSeries) -> String {
    let head = verdict.isPassed ? "ok   " : "\(verdict.name.uppercased()) "
    let end = outcome.map { ": \($0)" } ?? ""
    let time = exchangeCount == 0 ? "" : ", \(exchangeCount) exchanges, \(TapText.time(nanoseconds))"
    return "\(head)\(series.name), tap \(number) of \(series.count)\(end)\(time)"
  }
}

/// All taps of one scenario.
struct ScenarioSeries: Sendable {
  let name: String
  let path: String
  let description: String?
  /// How many taps there are to be.
  let count: Int
  private(set) var runs: [ScenarioRun] = []
  /// Over all taps that came to an outcome.
  private(set) var latencies = LatencyReport()

  init(_ file: ScenarioFile, count: Int) {
    (name, path, description) = (file.scenario.name, file.path, file.scenario.description)
    self.count = count
  }

  mutating func add(_ run: ScenarioRun, _ exchanges: [Exchange]) {
    runs.append(run)
    if !exchanges.isEmpty { latencies.add(exchanges) }
  }

  func count(_ verdict: String) -> Int { runs.count { $0.verdict.name == verdict } }

  /// How many taps were not made.
  var missing: Int { count - runs.count }
}

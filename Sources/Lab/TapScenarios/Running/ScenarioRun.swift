public import Links
public import Octets
public import PaymentAcceptance
internal import Transcripts

/// One tap of a scenario and its verdict.
public struct ScenarioRun: Sendable {
  /// The verdict on a tap.
  public enum Verdict: Sendable {
    /// Everything was as expected.
    case passed
    /// Some expectations were not met.
    case failed([ScenarioFailure])
    /// The reader, the link or a file failed, so that nothing can be said of the card; with the reason as a sentence.
    case error(String)
    /// Some expectations were not met, of a scenario whose differences are warnings.
    case warned([ScenarioFailure])
    /// The scenario cannot be made here, such as one that judges the other side; with the reason as a sentence.
    case notApplicable(String)
    /// Everything that was seen was as expected, but something was not seen; with the reason as a sentence.
    case notJudged(String)

    /// `passed`, `failed`, `error`, `warning`, `not applicable` or `not judged`.
    public var name: String {
      switch self {
      case .passed: "passed"
      case .failed: "failed"
      case .warned: "warning"
      case .notApplicable: "not applicable"
      case .notJudged: "not judged"
      case .error: "error"
      }
    }

    /// The reasons, one sentence each; empty for a tap that passed.
    public var sentences: [String] {
      switch self {
      case .passed: []
      case .failed(let failures), .warned(let failures): failures.map(\.description)
      case .error(let message), .notApplicable(let message), .notJudged(let message): [message]
      }
    }

    /// The numbers of the exchanges that the differences name; empty when they name none.
    public var exchanges: Set<Int> {
      switch self {
      case .failed(let failures), .warned(let failures): Set(failures.compactMap(\.exchange))
      case .passed, .error, .notApplicable, .notJudged: []
      }
    }

    /// Whether everything was as expected.
    public var isPassed: Bool {
      if case .passed = self { true } else { false }
    }

    /// Whether the tap could be made here.
    public var isApplicable: Bool {
      if case .notApplicable = self { false } else { true }
    }

    /// Whether the run may go on after this tap although it ends at the first one that does not pass: the tap is neither
    /// a failure nor an error.
    public var isAcceptable: Bool {
      switch self {
      case .passed, .warned, .notApplicable, .notJudged: true
      case .failed, .error: false
      }
    }
  }

  /// The number of the tap in the scenario, from 1.
  public let number: Int
  /// The verdict.
  public internal(set) var verdict: Verdict
  /// The error of a tap whose verdict is `error`; nil for every other tap.
  public internal(set) var cause: (any Error)?
  /// The outcome of the payment in words; nil when it came to none.
  public var outcome: String?
  /// The number of exchanges.
  public var exchangeCount = 0
  /// The time of all exchanges together.
  public var nanoseconds: Int64 = 0
  /// The file of its recording; nil for none.
  public var recording: String?
  /// When the tap began; nil for a tap that could not begin.
  public var begun: WallTime?
  /// The card; nil when none came.
  public var card: CardIdentity?
  /// What the person at the terminal wrote down; nil for nothing.
  public var comment: String?
  /// The exchanges of a tap that did not pass: those that its differences name, else all. Empty unless the observer of the
  /// run gives them.
  public var explanation: [ExplainedExchange] = []

  /// One line of text.
  public func line(_ series: ScenarioSeries) -> String {
    let head = verdict.isPassed ? "ok   " : "\(verdict.name.uppercased()) "
    let end = outcome.map { ": \($0)" } ?? ""
    let time =
      exchangeCount == 0
      ? "" : ", \(exchangeCount.counted("exchange")), \(TimeUnit.milliseconds.text(nanoseconds))"
    let remark = comment.map { " (\($0))" } ?? ""
    return "\(head)\(series.name), tap \(number) of \(series.count)\(end)\(time)\(remark)"
  }
}

extension ScenarioRun {
  /// The run of a tap that an error ended.
  init(number: Int, endedBy error: any Error) {
    let verdict: Verdict =
      switch error {
      case is ScenarioNotApplicable: .notApplicable("\(error)")
      case is ScenarioNotJudged, is SkippedTap: .notJudged("\(error)")
      default: .error("\(error)")
      }
    self.init(number: number, verdict: verdict)
    if case .error = verdict { cause = error }
    comment = (error as? SkippedTap)?.comment
  }
}

/// All taps of one scenario.
public struct ScenarioSeries: Sendable {
  private let file: ScenarioFile
  /// The number of taps that the series is to have.
  public let count: Int
  /// The taps so far.
  public private(set) var runs: [ScenarioRun] = []
  /// The latencies of all taps that came to an outcome.
  public private(set) var latencies = LatencyReport()

  /// Creates an empty series.
  public init(_ file: ScenarioFile, count: Int) { (self.file, self.count) = (file, count) }

  /// The scenario's name.
  public var name: String { file.scenario.name }
  /// The scenario's file.
  public var path: String { file.path }
  /// The card profile that the scenario names; nil when it names none.
  public var cardFile: String? {
    file.scenario.terminalTest == nil ? try? file.card() : file.scenario.terminalTest?.card.file
  }
  /// The card of a scenario that judges a terminal, in words: its profile and the number of its changes; nil for any
  /// other.
  public var cardProfile: String? { file.cardProfile }
  /// The terminal profile that the scenario names, in words; nil when it names none.
  public var terminalProfile: String? { file.terminalProfile }
  /// The scenario's description; nil when it has none.
  public var description: String? { file.scenario.description }
  /// The identifier of a scenario that judges a terminal, or a card by steps; nil for any other.
  public var id: String? { file.scenario.packTest?.id }
  /// The rule of such a scenario, with book and section; nil for any other.
  public var rule: String? { file.scenario.packTest?.rule }

  /// Adds a tap.
  ///
  /// - Parameter exchanges: The exchanges whose latencies count; empty for a tap without an outcome.
  public mutating func add(_ run: ScenarioRun, _ exchanges: [Exchange]) {
    runs.append(run)
    if !exchanges.isEmpty { latencies.add(exchanges) }
  }

  /// The number of taps with a verdict of this name.
  public func count(_ verdict: String) -> Int { runs.count { $0.verdict.name == verdict } }

  /// The number of taps that were not made; 0 for a scenario that is not applicable.
  public var missing: Int {
    if case .notApplicable? = runs.last?.verdict { return 0 }
    return count - runs.count
  }

  /// When the first tap began; nil when none did.
  public var begun: WallTime? { runs.lazy.compactMap(\.begun).first }

  /// The card of the first tap that had one.
  public var card: CardIdentity? { runs.lazy.compactMap(\.card).first }
}

extension [ScenarioSeries] {
  /// The number of taps with a verdict of this name.
  public func count(_ verdict: String) -> Int { reduce(0) { $0 + $1.count(verdict) } }

  /// Why scenarios are not applicable, each reason with the number of its scenarios, in the order of the first.
  public var reasonsNotApplicable: [(reason: String, count: Int)] {
    var reasons: [(reason: String, count: Int)] = []
    for case .notApplicable(let reason) in compactMap({ $0.runs.first?.verdict }) {
      if let index = reasons.firstIndex(where: { $0.reason == reason }) {
        reasons[index].count += 1
      } else {
        reasons.append((reason, 1))
      }
    }
    return reasons
  }

  /// The slowest taps, the slowest first: at most this many, of those that had an exchange.
  public func slowest(_ count: Int) -> [(series: ScenarioSeries, run: ScenarioRun)] {
    let taps = flatMap { series in series.runs.filter { $0.exchangeCount > 0 }.map { (series: series, run: $0) } }
    return taps.sorted { $0.run.nanoseconds > $1.run.nanoseconds }.prefix(count).map { $0 }
  }

  /// The number of taps that were not made.
  public var missing: Int { reduce(0) { $0 + $1.missing } }
}

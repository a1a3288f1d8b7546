internal import Links
public import Octets

/// The results of a run as JUnit XML: a suite for each scenario, a case for each tap. The name of the document has the counts
/// of both.
public struct JUnitReport: Sendable {
  private let root: XMLElement

  /// Creates the document of a run.
  ///
  /// - Parameters:
  ///   - isInterrupted: Whether taps are missing because the run was interrupted; they are errors then, so that the
  ///     document does not look as if everything had passed.
  ///   - properties: Those of each series beside its card, such as the reader and versions.
  ///   - showsExchanges: Whether a failure has the exchanges that explain it.
  public init(
    _ series: [ScenarioSeries], isInterrupted: Bool = false,
    properties: RunProperties = RunProperties(), showsExchanges: Bool = true
  ) {
    let writer = SuiteWriter(isInterrupted: isInterrupted, showsExchanges: showsExchanges)
    root = XMLElement(
      "testsuites",
      [("name", "tap test, \(series.sums)")] + writer.counts(of: series)
        + [("time", seconds(series.reduce(0) { $0 &+ $1.nanoseconds }))],
      series.map { writer.suite($0, properties.all(of: $0)) })
  }

  /// Creates the document of a run that made no tap.
  ///
  /// - Parameter begun: When the run began.
  public init(of error: any Error, at begun: WallTime) {
    let counts = [("tests", "1"), ("failures", "0"), ("errors", "1"), ("skipped", "0"), ("time", "0")]
    let named = [("name", "tap test")] + counts + [("timestamp", begun.iso8601WithMilliseconds)]
    let message = XMLElement("error", [("message", "\(error)"), ("type", "start")])
    let test = XMLElement("testcase", [("classname", "tap test"), ("name", "scenarios"), ("time", "0")], [message])
    root = XMLElement("testsuites", named, [XMLElement("testsuite", named, [test])])
  }

  /// One test that is no tap of a scenario.
  public struct Case: Sendable {
    /// Why a test did not pass.
    public enum Failure: Sendable {
      /// It was not as expected.
      case failure(String)
      /// It could not be made.
      case error(String)
    }

    let group: String
    let name: String
    let time: Duration
    let failure: Failure?

    /// Creates a case.
    ///
    /// - Parameter failure: Nil for a test that passed.
    public init(group: String, name: String, time: Duration, failure: Failure?) {
      (self.group, self.name, self.time, self.failure) = (group, name, time, failure)
    }

    private var isError: Bool { if case .error? = failure { true } else { false } }

    fileprivate static func counts(of cases: [Case]) -> [(String, String)] {
      let errors = cases.count(where: \.isError)
      return [
        ("tests", "\(cases.count)"), ("failures", "\(cases.count { $0.failure != nil } - errors)"),
        ("errors", "\(errors)"), ("skipped", "0"), ("time", seconds(cases.reduce(0) { $0 &+ $1.time.nanoseconds })),
      ]
    }

    fileprivate var element: XMLElement {
      let children: [XMLElement] =
        switch failure {
        case nil: []
        case .failure(let message)?: [XMLElement("failure", [("message", message), ("type", "difference")])]
        case .error(let message)?: [XMLElement("error", [("message", message), ("type", "input")])]
        }
      return XMLElement(
        "testcase", [("classname", group), ("name", name), ("time", seconds(time.nanoseconds))], children)
    }
  }

  /// Creates a document with one suite.
  ///
  /// - Parameter begun: When the first test began.
  public init(_ name: String, _ cases: [Case], at begun: WallTime) {
    let named = [("name", name)] + Case.counts(of: cases) + [("timestamp", begun.iso8601WithMilliseconds)]
    root = XMLElement("testsuites", named, [XMLElement("testsuite", named, cases.map(\.element))])
  }

  /// The document.
  public var text: String {
    ([#"<?xml version="1.0" encoding="UTF-8"?>"#] + root.lines() + [""]).joined(separator: "\n")
  }
}

private struct SuiteWriter {
  let isInterrupted: Bool
  let showsExchanges: Bool

  func counts(of series: [ScenarioSeries]) -> [(String, String)] {
    // Taps that were not made are one case for each scenario.
    let missing = series.count { $0.missing > 0 }
    let tests = series.reduce(0) { $0 + $1.runs.count } + missing
    let errors = series.count("error") + (isInterrupted ? missing : 0)
    return [
      ("tests", "\(tests)"), ("failures", "\(series.count("failed"))"), ("errors", "\(errors)"),
      ("skipped", "\((isInterrupted ? 0 : missing) + series.count("not applicable") + series.count("not judged"))"),
    ]
  }

  func suite(_ series: ScenarioSeries, _ further: [RunProperties.Property]) -> XMLElement {
    let table = series.latencies.taps == 0 ? [] : [output(series.latencies.table().joined(separator: "\n"))]
    return XMLElement(
      "testsuite",
      [("name", series.name)] + counts(of: [series]) + [("time", seconds(series.nanoseconds))]
        + (series.begun.map { [("timestamp", $0.iso8601WithMilliseconds)] } ?? []),
      properties(series, further) + series.runs.map { testCase($0, of: series) } + missing(series) + table)
  }

  private func properties(_ series: ScenarioSeries, _ further: [RunProperties.Property]) -> [XMLElement] {
    let rule = [("id", series.id), ("rule", series.rule)].compactMap { name, value in
      value.map { (name: name, value: $0) }
    }
    let all = further + rule + (series.card.map { [(name: "card", value: $0.text)] } ?? [])
    guard !all.isEmpty else { return [] }
    return [
      XMLElement("properties", [], all.map { XMLElement("property", [("name", $0.name), ("value", $0.value)]) })
    ]
  }

  private func testCase(_ run: ScenarioRun, of series: ScenarioSeries) -> XMLElement {
    XMLElement(
      "testcase",
      [
        ("classname", series.path), ("name", "\(series.name), tap \(run.number) of \(series.count)"),
        ("time", seconds(run.nanoseconds)),
      ],
      verdict(run, series.rule) + (run.recording.map { [output("transcript: \($0)")] } ?? [])
        + (run.comment.map { [output("comment: \($0)")] } ?? []))
  }

  private func verdict(_ run: ScenarioRun, _ rule: String?) -> [XMLElement] {
    let sentences = run.verdict.sentences
    let lines = sentences + (rule.map { ["rule: \($0)"] } ?? [])
    guard let first = sentences.first else { return [] }
    let exchanges = showsExchanges ? run.explanation.flatMap(\.lines) : []
    // Lists of failures show the message alone.
    let message = first + (sentences.count > 1 ? " (and \((sentences.count - 1).counted("further difference")))" : "")
    let isError = if case .error = run.verdict { true } else { false }
    switch run.verdict {
    // JUnit has no warnings: a case with one has passed, and its text names the differences.
    case .warned: return [output("warning: " + lines.joined(separator: "\n"))]
    case .notApplicable, .notJudged:
      return [XMLElement("skipped", [("message", "\(run.verdict.name): \(first)")])]
    case .passed, .failed, .error: break
    }
    return [
      XMLElement(
        isError ? "error" : "failure", [("message", message), ("type", isError ? "link" : "expectation")],
        text: (lines + exchanges).joined(separator: "\n"))
    ]
  }

  private func missing(_ series: ScenarioSeries) -> [XMLElement] {
    guard series.missing > 0 else { return [] }
    let taps = "\(series.missing) of \(series.count.counted("tap")) not made"
    let reason =
      isInterrupted
      ? XMLElement("error", [("message", "interrupted: \(taps)"), ("type", "interrupted")])
      : XMLElement("skipped", [("message", taps)])
    return [
      XMLElement(
        "testcase", [("classname", series.path), ("name", "\(series.name), \(taps)"), ("time", "0")], [reason])
    ]
  }

  private func output(_ text: String) -> XMLElement { XMLElement("system-out", [], text: text) }
}

extension CardIdentity {
  /// The protocol, and the answer to reset unless the card has none.
  fileprivate var text: String {
    answerToReset.isEmpty ? protocolName : "\(protocolName), ATR \(answerToReset.hex)"
  }
}

extension ScenarioSeries {
  fileprivate var nanoseconds: Int64 { runs.reduce(0) { $0 &+ $1.nanoseconds } }
}

// Seconds with six decimals.
private func seconds(_ nanoseconds: Int64) -> String {
  let digits = String(nanoseconds / 1_000 % 1_000_000)
  return "\(nanoseconds / 1_000_000_000)." + String(repeating: "0", count: 6 - digits.count) + digits
}

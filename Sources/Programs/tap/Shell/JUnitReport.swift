/// The results of `tap test` as JUnit XML: a suite for each scenario, a case for each tap.
struct JUnitReport {
  let series: [ScenarioSeries]
  /// Whether taps are missing because somebody ended the program: then nothing may look as if all had passed.
  var isInterrupted = false

  private static let head = #"<?xml version="1.0" encoding="UTF-8"?>"#

  /// The document.
  var text: String {
    let time = series.reduce(0) { $0 + Self.nanoseconds($1) }
    let open =
      #"<testsuites name="tap test" \#(counts(of: series)) time="\#(Self.seconds(time))">"#
    return ([Self.head, open] + series.flatMap(suite) + ["</testsuites>", ""]).joined(separator: "\n")
  }

  private func counts(of series: [ScenarioSeries]) -> String {
    // What was not run is told once for each scenario.
    let missing = series.count { $0.missing > 0 }
    let tests = series.reduce(0) { $0 + $1.runs.count } + missing
    let errors = series.count("error") + (isInterrupted ? missing : 0)
    return #"tests="\#(tests)" failures="\#(series.count("failed"))" errors="\#(errors)" "#
      + #"skipped="\#(isInterrupted ? 0 : missing)""#
  }

  private func suite(_ series: ScenarioSeries) -> [String] {
    let time = Self.seconds(Self.nanoseconds(series))
    let open = #"  <testsuite name="\#(Self.escaped(series.name))" \#(counts(of: [series])) time="\#(time)">"#
    let table = series.latencies.taps == 0 ? [] : output(series.latencies.table.joined(separator: "\n"), "    ")
    return [open] + series.runs.flatMap { testCase($0, of: series) } + missing(series) + table + ["  </testsuite>"]
  }

  private func testCase(_ run: ScenarioRun, of series: ScenarioSeries) -> [String] {
    let open =
      #"    <testcase classname="\#(Self.escaped(series.path))" "#
      + #"name="\#(Self.escaped("\(series.name), tap \(run.number) of \(series.count)"))" "#
      + #"time="\#(Self.seconds(run.nanoseconds))""#
    let details = verdict(run) + (run.recording.map { output("transcript: \($0)", "      ") } ?? [])
    return details.isEmpty ? [open + "/>"] : [open + ">"] + details + ["    </testcase>"]
  }

  private func verdict(_ run: ScenarioRun) -> [String] {
    let sentences = run.verdict.sentences
    guard let first = sentences.first else { return [] }
    let element = if case .error = run.verdict { "error" } else { "failure" }
    let type = element == "error" ? "link" : "expectation"
    return [
      #"      <\#(element) message="\#(Self.escaped(first))" type="\#(type)">"#
        + Self.escaped(sentences.joined(separator: "\n")) + "</\(element)>"
    ]
  }

  private func missing(_ series: ScenarioSeries) -> [String] {
    guard series.missing > 0 else { return [] }
    let taps = "\(series.missing) of \(series.count) taps not made"
    return [
      #"    <testcase classname="\#(Self.escaped(series.path))" name="\#(Self.escaped("\(series.name), \(taps)"))" "#
        + #"time="0">"#,
      isInterrupted
        ? #"      <error message="interrupted: \#(taps)" type="interrupted"/>"#
        : #"      <skipped message="\#(taps)"/>"#,
      "    </testcase>",
    ]
  }

  /// The document of a run that made no tap.
  static func text(of error: any Error) -> String {
    let counts = #"tests="1" failures="0" errors="1" skipped="0" time="0""#
    return """
      \(head)
      <testsuites name="tap test" \(counts)>
        <testsuite name="tap test" \(counts)>
          <testcase classname="tap test" name="scenarios" time="0">
            <error message="\(escaped("\(error)"))" type="start"/>
          </testcase>
        </testsuite>
      </testsuites>

      """
  }

  private func output(_ text: String, _ margin: String) -> [String] {
    ["\(margin)<system-out>\(Self.escaped(text))</system-out>"]
  }

  private static func nanoseconds(_ series: ScenarioSeries) -> Int64 { series.runs.reduce(0) { $0 &+ $1.nanoseconds } }

  /// Seconds with six decimals.
  private static func seconds(_ nanoseconds: Int64) -> String {
    let digits = String(nanoseconds / 1_000 % 1_000_000)
    return "\(nanoseconds / 1_000_000_000)." + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Text for XML 1.0: what it cannot hold (section 2.2) becomes a question mark.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n", "\t": escaped += "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "?"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

internal import DisplayText
internal import Octets
public import TapScenarios

/// The report of `tap test`: a summary, and for each scenario its taps with verdicts and differences.
///
/// The size of the page is bounded. It shows the taps of `TapSelection`, and at most `scenarioLimit` scenarios;
/// it states what it leaves out.
public struct ScenarioPage: Sendable {
  /// The largest number of scenarios on a page.
  public static let scenarioLimit = 500
  /// The largest number of differences that are shown of one tap.
  static let differenceLimit = 50

  private let series: [ScenarioSeries]
  private let taps: TapSelection
  private let isInterrupted: Bool
  private let properties: RunProperties

  /// Creates the report.
  ///
  /// - Parameter properties: What the run and its series were made with: link or reader, card, terminal, versions.
  public init(
    _ series: [ScenarioSeries], _ taps: TapSelection, isInterrupted: Bool,
    properties: RunProperties = RunProperties()
  ) {
    (self.series, self.taps, self.isInterrupted, self.properties) = (series, taps, isInterrupted, properties)
  }

  /// The page.
  public var html: String {
    let shown = series.prefix(Self.scenarioLimit)
    let more = series.count - shown.count
    return ReportPage(
      title: "Tap tests", lead: lead + (more > 0 ? ["\(more) further scenarios are left out."] : []),
      sections: [run, folders, summary(shown)] + shown.enumerated().map { section($0.offset, $0.element) }
    ).text
  }

  /// A page for a run that made no tap.
  public static func html(of error: any Error) -> String {
    ReportPage(title: "Tap tests", lead: ["No tap was made: \(error)"], sections: []).text
  }

  private var lead: [String] {
    let made = series.reduce(0) { $0 + $1.runs.count }
    return [
      series.sums + (isInterrupted ? ". Interrupted." : "."),
      "\(taps.count) of \(made) taps are shown: the first of a scenario, \(TapSelection.tapLimit) in all, and those "
        + "that failed or had warnings, \(TapSelection.scenarioTapLimit) of a scenario and "
        + "\(TapSelection.failedTapLimit) in all.",
    ]
  }

  /// What the run was made with.
  private var run: HTML {
    guard !properties.run.isEmpty else { return .empty }
    return ReportTable(heads: ["Run", ""], rows: properties.run.map { [$0.name, $0.value] }).html
  }

  /// The verdicts by folder; empty for scenarios of one folder.
  private var folders: HTML {
    let groups = Dictionary(grouping: series) { series in
      series.path.split(separator: "/").dropLast().last.map(String.init) ?? "."
    }
    guard groups.count > 1 else { return .empty }
    return ReportTable(
      heads: ["Folder"] + Self.verdictHeads,
      rows: groups.sorted { $0.key < $1.key }.map { [$0.key] + Self.counts($0.value) }
    ).html
  }

  private static let verdictHeads = [
    "Passed", "Failed", "Errors", "Warnings", "Not applicable", "Not judged", "Not made",
  ]

  private static func counts(_ series: [ScenarioSeries]) -> [String] {
    ["passed", "failed", "error", "warning", "not applicable", "not judged"].map { String(series.count($0)) }
      + [String(series.missing)]
  }

  private func summary(_ shown: ArraySlice<ScenarioSeries>) -> HTML {
    ReportTable(
      heads: ["Scenario"] + Self.verdictHeads, rows: shown.map { [$0.name] + Self.counts([$0]) }
    ).html
  }

  private func section(_ index: Int, _ series: ScenarioSeries) -> HTML {
    let description: HTML = series.description.map { "<p>\($0)</p>\n" } ?? .empty
    let rule: HTML = series.rule.map { "<p>\(series.id ?? ""): \($0)</p>\n" } ?? .empty
    let own = properties.own(of: series).map { "<p class=\"dim\">\($0.name): \($0.value)</p>\n" as HTML }
    let taps = taps.taps(ofSeries: index)
    let more = series.runs.count - taps.count
    let note: HTML = more > 0 ? "<p class=\"dim\">\(more) further taps are not shown.</p>\n" : .empty
    return """
      <section class="scenario"><h2>\(series.name)</h2>
      <p class="dim">\(series.path)</p>
      \(own)\(description)\(rule)\(taps.map { tap($0, of: series) })\(note)</section>

      """
  }

  private func tap(_ tap: TapSelection.Tap, of series: ScenarioSeries) -> HTML {
    let run = tap.run
    let mark: HTML = run.verdict.isPassed ? "good" : run.verdict.isAcceptable ? "dim" : "bad"
    let outcome = (run.outcome.map { ": \($0)" } ?? "") + (run.comment.map { " (\($0))" } ?? "")
    let sentences = run.verdict.sentences
    let differences = sentences.prefix(Self.differenceLimit).map { "<li>\($0)</li>\n" as HTML }
    let more = sentences.count - differences.count
    let rest: HTML = more > 0 ? "<li>\(more) further differences</li>\n" : .empty
    return """
      <details class="tap"><summary><span class="\(mark)">\(run.verdict.name)</span> tap \(run.number) of \
      \(series.count)\(outcome)</summary><ul>
      \(differences)\(rest)</ul>
      \(tap.payment?.html ?? .empty)</details>

      """
  }
}

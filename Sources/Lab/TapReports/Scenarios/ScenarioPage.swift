internal import DisplayText
internal import Octets
public import TapScenarios

/// The report of `tap test`: the result, the scenarios that did not pass with their differences and exchanges, and a line
/// for each scenario.
///
/// The size of the page is bounded. It shows the taps of `TapSelection`, and at most `scenarioLimit` scenarios, those that did
/// not pass first; it states what it leaves out.
public struct ScenarioPage: Sendable {
  /// The largest number of scenarios on a page.
  public static let scenarioLimit = 500

  /// How many scenarios that did not pass are open.
  static let openLimit = 5

  private let series: [ScenarioSeries]
  private let taps: TapSelection
  private let isInterrupted: Bool
  private let properties: RunProperties
  private let run: ReportedRun

  /// Creates the report.
  ///
  /// - Parameters:
  ///   - properties: What the run and its series were made with: link or reader, card, terminal, versions.
  ///   - run: When, where and by which command line.
  public init(
    _ series: [ScenarioSeries], _ taps: TapSelection, isInterrupted: Bool, properties: RunProperties, run: ReportedRun
  ) {
    (self.series, self.taps, self.isInterrupted, self.properties) = (series, taps, isInterrupted, properties)
    self.run = run
  }

  /// The page.
  public var html: String {
    let rows = series.enumerated().map { index, series in
      ScenarioRows.Row(
        index: index,
        taps: ScenarioTaps(series: series, properties: properties.own(of: series), taps: taps.taps(ofSeries: index)),
        verdict: series.verdict)
    }
    let headline = ScenarioHeadline(rows.map(\.verdict), isInterrupted: isInterrupted)
    let bad = rows.filter(\.verdict.isBad).prefix(Self.scenarioLimit)
    let others = rows.filter { !$0.verdict.isBad }.prefix(Self.scenarioLimit - bad.count)
    let shown = (bad + others).sorted { $0.index < $1.index }
    let list = ScenarioRows(rows: shown)
    return ReportPage(
      name: "tap test", result: headline.result, headline: headline.text, lead: [series.sums], run: run,
      sections: [
        list.filter, articles(shown.filter(\.hasArticle)), list.html, note(of: rows.count - shown.count),
        "<section><h2>Run</h2>\n\(PropertyList(properties: properties.run).html)</section>\n",
      ]
    ).text
  }

  /// A page for a run that made no tap.
  public static func html(of error: any Error, run: ReportedRun) -> String {
    ReportPage(
      name: "tap test", result: .failed, headline: "No tap was made", lead: ["\(error)"], run: run, sections: []
    ).text
  }

  /// The scenarios that did not pass. The first ones are open.
  private func articles(_ rows: [ScenarioRows.Row]) -> HTML {
    let articles = rows.enumerated().map { place, row -> HTML in
      let title = "t\(row.index + 1)"
      let difference = row.taps.taps.lazy.compactMap(\.run.verdict.sentences.first).first
      let open: HTML = place < Self.openLimit ? " open" : .empty
      return """
        <article class="failure" aria-labelledby="\(title)"><details\(open)><summary><h3 id="\(title)"><span class="bad">\
        \(row.verdict.word)</span> \(row.taps.series.name)</h3><p class="difference dim">\(difference ?? "")</p></summary>
        <div id="\(row.anchor)">\(row.taps.html)</div></details></article>

        """
    }
    return articles.isEmpty ? .empty : "<section id=\"failures\"><h2>Not passed</h2>\n\(articles)</section>\n"
  }

  /// What the page leaves out.
  private func note(of hidden: Int) -> HTML {
    let made = series.reduce(0) { $0 + $1.runs.count }
    let scenarios = hidden > 0 ? "\(hidden.counted("further scenario")) left out. " : ""
    guard taps.count < made || hidden > 0 else { return .empty }
    return """
      <p class="dim">\(scenarios)\(taps.count) of \(made) taps are shown: the first of a scenario, \(TapSelection.tapLimit) in \
      all, and those that failed or had warnings, \(TapSelection.scenarioTapLimit) of a scenario and \
      \(TapSelection.failedTapLimit) in all.</p>

      """
  }
}

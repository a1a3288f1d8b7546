internal import DisplayText
internal import Octets
public import TapLatency

/// The report of two subjects that `tap bench --compare` measured in turns.
public struct ComparisonPage: Sendable {
  private let comparison: BenchmarkComparison
  private let run: ReportedRun

  /// Creates the report.
  ///
  /// - Parameter run: When, where and by which command line.
  public init(_ comparison: BenchmarkComparison, run: ReportedRun) { (self.comparison, self.run) = (comparison, run) }

  /// The page.
  public var html: String {
    let items = comparison.lines.map { "<li>\($0)</li>\n" as HTML }
    return ReportPage(
      name: "tap bench", result: verdict, headline: headline, run: run,
      sections: [
        "<ul class=\"compared\">\n\(items)</ul>\n", comparison.times?.html ?? .empty,
      ]
    ).text
  }

  private var headline: String { comparison.times?.whole?.line ?? "Too few rounds for a verdict" }

  private var verdict: ReportPage.Result {
    if comparison.isRegression || comparison.isSlower { return .failed }
    return comparison.times?.whole?.verdict == .faster ? .passed : .warned
  }
}

extension PairedTimes {
  /// Both distributions of each row over each other.
  var html: HTML {
    let figures = rows.compactMap { row in
      row.distributions.map { PairedFigure(row: row, before: $0.before, now: $0.now).html }
    }
    return "<h2>Both distributions</h2>\n\(figures)"
  }
}

/// The times of two subjects over each other on one axis: the earlier one is an outline.
private struct PairedFigure {
  let row: PairedComparison
  let before: LatencyDistribution
  let now: LatencyDistribution

  var html: HTML {
    let most = max((before.columns + now.columns).max() ?? 0, 1)
    return """
      <figure class="histogram"><figcaption>\(row.line). The outline is the earlier subject.</figcaption>
      <div class="plot"><div class="counts"><span>\(most)</span><span>0</span></div>
      <svg role="img" aria-label="Two histograms of \(row.name)"><svg y="44" height="56">\
      <rect class="ground" width="100%" height="100%"/>\(columns(now, most, "card"))\(columns(before, most, "earlier"))</svg>\
      <text x="0%" y="118" text-anchor="start">\(Duration.nanoseconds(now.lowest).text)</text>\
      <text x="100%" y="118" text-anchor="end">\(Duration.nanoseconds(max(now.highest, now.lowest * 2)).text)</text></svg></div></figure>

      """
  }

  private func columns(_ distribution: LatencyDistribution, _ most: Int, _ look: HTML) -> HTML {
    let count = distribution.columns.count
    let columns = distribution.columns.enumerated().filter { $0.element > 0 }.map { index, times -> HTML in
      let height = max(times * 10_000 / most, 200)
      return """
        <rect class="\(look)" x="\(Percent(index * 10_000 / count).text)" width="\(Percent(10_000 / count).text)" \
        y="\(Percent(10_000 - height).text)" height="\(Percent(height).text)"/>
        """
    }
    return "\(columns)"
  }
}

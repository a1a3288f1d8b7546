internal import DisplayText
internal import EMVTerminal
internal import Octets
internal import PaymentAcceptance
public import TapLatency
public import Transcripts

/// The report of `tap bench`: percentiles, the distribution of the times of each command, and two taps in time.
public struct BenchmarkPage: Sendable {
  private let result: BenchmarkResult
  private let comparison: BenchmarkComparison?
  private let run: ReportedRun
  private let redact: @Sendable (Transcript) -> Transcript

  /// Creates the report.
  ///
  /// - Parameters:
  ///   - result: The measurement.
  ///   - comparison: The measurement beside an earlier one; nil without one.
  ///   - run: When, where and by which command line.
  ///   - redact: Returns a transcript as it may be shown.
  public init(
    _ result: BenchmarkResult, comparison: BenchmarkComparison? = nil, run: ReportedRun,
    redact: @escaping @Sendable (Transcript) -> Transcript
  ) {
    (self.result, self.comparison, self.run, self.redact) = (result, comparison, run, redact)
  }

  /// The page.
  public var html: String {
    let report = result.report
    let timelines = taps.map { title, tap -> HTML in "<h2>\(title)</h2>\n\(tap.html)" }
    return ReportPage(
      name: "tap bench", result: verdict, headline: headline, lead: [report.measured], run: run,
      sections: [
        compared, percentiles, PropertyList(properties: properties).html, "<h2>Times of each command</h2>\n",
      ] + result.distributions.map(histogram) + timelines
    ).text
  }

  /// The median of the whole tap, which is what a reader looks for first.
  private var headline: String {
    guard let whole = result.report.commands.last else { return "No tap was measured" }
    if let change = comparison?.counts.first(where: \.isRegression) {
      return "A count of each tap has grown: \(change.name) \(change.before) to \(change.now)"
    }
    if notApproved > 0 { return "\(notApproved) of \(result.wholeTaps.counted("whole tap")) not approved" }
    return "\(whole.command): half within \(Duration.nanoseconds(whole.times.p50).text)"
  }

  private var verdict: ReportPage.Result {
    if result.report.commands.isEmpty || comparison?.isRegression == true { return .failed }
    return notApproved > 0 ? .warned : .passed
  }

  private var notApproved: Int {
    result.report.outcomes.reduce(0) { $0 + ($1.name == PaymentOutcome.Kind.approved.rawValue ? 0 : $1.value) }
  }

  /// The differences to the earlier measurement.
  private var compared: HTML {
    guard let comparison else { return .empty }
    let items = comparison.lines.map { "<li>\($0)</li>\n" as HTML }
    return
      "<h2>Compared with the earlier measurement</h2>\n<ul class=\"compared\">\n\(items)</ul>\n\(comparison.times?.html ?? .empty)"
  }

  private var properties: [(name: String, value: String)] {
    let report = result.report
    let counts = report.counts.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    return [("link", report.link)] + (report.card.map { [("card", $0)] } ?? []) + [
      ("each tap", counts), ("two readings of the clock", "\(report.clock) ns, which is part of each time"),
    ]
  }

  private var percentiles: HTML {
    let (rows, table) = (result.report.commands + result.report.parts, result.report.percentiles)
    let lines = zip(rows, table.cells).map { row, cells in
      [row.command] + cells + ["\(Int((row.share * 100).rounded())) %"]
    }
    let figures = FigureTable(heads: ["Times in \(table.unit.rawValue)"] + table.heads + ["share"], rows: lines)
    let needs: HTML = table.isShortened ? "<p class=\"dim\">\(PercentileTable.needs).</p>\n" : .empty
    return "\(figures.html)\(needs)"
  }

  private func histogram(_ distribution: LatencyDistribution) -> HTML {
    let row = result.report.commands.first { $0.command == distribution.command }
    let marks = row.map { row in
      [("p50", row.times.p50), ("p90", row.times.p90), ("p99", row.times.p99)].compactMap { name, time in
        time.map { HistogramFigure.Mark(name: name, nanoseconds: $0) }
      }
    }
    let budget = HistogramFigure.Mark(name: "budget", nanoseconds: Timeline.cardBudget + Timeline.readerBudget)
    // The budget is that of a whole tap.
    return HistogramFigure(
      distribution: distribution, marks: marks ?? [],
      limit: distribution.command == result.report.commands.last?.command ? budget : nil
    ).html
  }

  private var taps: [(title: String, tap: ReportedTap)] {
    guard let fastest = result.fastest, let slowest = result.slowest else { return [] }
    let taps =
      result.wholeTaps == 1 ? [("The tap", fastest)] : [("The fastest tap", fastest), ("The slowest tap", slowest)]
    return taps.map { title, tap in
      (title, ReportedTap(tap.record, shown: redact(tap.record.transcript), cardTimes: tap.cardTimes))
    }
  }
}

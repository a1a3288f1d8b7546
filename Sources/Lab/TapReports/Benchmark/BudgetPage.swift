internal import DisplayText
public import LinkTiming
internal import Octets

/// The report of `tap bench --over`: where the time of a tap goes in a model of its links.
public struct BudgetPage: Sendable {
  private let budget: TapBudget
  private let comparison: BudgetComparison?
  private let run: ReportedRun

  /// Creates the report.
  ///
  /// - Parameters:
  ///   - comparison: A recording beside the model; nil without one.
  ///   - run: When, where and by which command line.
  public init(_ budget: TapBudget, comparison: BudgetComparison? = nil, run: ReportedRun) {
    (self.budget, self.comparison, self.run) = (budget, comparison, run)
  }

  /// The page.
  public var html: String {
    ReportPage(
      name: "tap bench", result: verdict, headline: headline,
      lead: ["Links: \(budget.chain).", "\(budget.largestPartLine)."], run: run,
      sections: [drawing, table, limits, improvements, recorded, constants]
    ).text
  }

  private var headline: String { "Whole tap: \(budget.whole.whole.milliseconds) ms (\(TapBudget.label))" }

  private var verdict: ReportPage.Result {
    let verdicts = budget.limits.map(\.verdict)
    return verdicts.contains(.beyond) ? .failed : verdicts.contains(.uncertain) ? .warned : .passed
  }

  private var drawing: HTML {
    let end = max(budget.whole.whole.most, 500_000_000)
    let bars = [("shortest", \TimeRange.least), ("longest", \TimeRange.most)].map { name, limit -> HTML in
      let bar = Bar(
        end: end, segments: segments(limit), marks: [500_000_000],
        label: "The \(name) tap of the model: \(budget.whole.whole[keyPath: limit] / 1_000_000) ms")
      return "<p class=\"dim\">The \(name) tap</p>\n\(bar.svg)\n"
    }
    return """
      <figure class="timeline">\(bars)<p class="axis"><span>0</span><span>\(Duration.nanoseconds(end).text)</span></p>
      \(Bar.key([.card, .air, .reader, .host, .terminal]))\
      <figcaption>\(TapBudget.label). The line is the end of the budget, 500 ms.</figcaption></figure>

      """
  }

  /// The parts of each command, one after the other.
  private func segments(_ limit: KeyPath<TimeRange, Int64>) -> [Bar.Segment] {
    var (segments, start): ([Bar.Segment], Int64) = ([], 0)
    for row in budget.rows {
      for part in TapParts.Part.allCases {
        let length = row.parts[part][keyPath: limit]
        if length > 0 { segments.append(.init(kind: part.kind, start: start, length: length)) }
        start += length
      }
    }
    return segments
  }

  private var table: HTML {
    let parts = TapParts.Part.allCases
    let rows = budget.rowsWithWhole.map { row in
      [row.name] + parts.map { row.parts[$0].milliseconds } + [row.parts.whole.milliseconds]
    }
    return FigureTable(heads: ["Milliseconds"] + parts.map(\.rawValue) + ["all"], rows: rows).html
  }

  private var limits: HTML {
    "<h2>Limits</h2>\n<ul class=\"limits\">\n\(budget.limits.map { "<li>\($0.line)</li>\n" as HTML })</ul>\n"
  }

  private var improvements: HTML {
    let items = budget.improvements.map { "<li>\($0.line)</li>\n" as HTML }
    return items.isEmpty ? .empty : "<h2>What would help</h2>\n<ul class=\"improvements\">\n\(items)</ul>\n"
  }

  private var recorded: HTML {
    guard let comparison else { return .empty }
    let rows = comparison.rows.map { row in
      [
        "\(row.number). \(row.name)", row.model.milliseconds,
        row.measured.map { TimeRange($0).milliseconds } ?? "-", row.verdict,
      ]
    }
    let table = FigureTable(heads: ["Milliseconds", "model", "recorded", "difference"], rows: rows)
    return "<h2>Beside a recording</h2>\n<p>\(comparison.sentence)</p>\n\(table.html)"
  }

  private var constants: HTML {
    let rows = LinkConstants.all.map { constant -> HTML in
      """
      <tr><th scope="row">\(constant.name)</th><td>\(constant.valueText)</td><td>\(constant.grade.rawValue)</td>\
      <td>\(constant.source)</td></tr>

      """
    }
    return """
      <details><summary>The values on which the model rests</summary><div class="wide"><table><thead><tr>\
      <th scope="col">Value</th><th scope="col"></th><th scope="col">Grade</th><th scope="col">Source</th></tr></thead><tbody>
      \(rows)</tbody></table></div></details>

      """
  }
}

extension TapParts.Part {
  /// The look of the part in a bar.
  fileprivate var kind: Bar.Kind {
    switch self {
    case .card: .card
    case .air: .air
    case .reader: .reader
    case .host: .host
    case .terminal: .terminal
    }
  }
}

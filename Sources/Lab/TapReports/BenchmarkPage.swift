internal import DisplayText
internal import Octets
internal import PaymentAcceptance
public import TapLatency
public import Transcripts

/// The report of `tap bench`: percentiles, the distribution of the times of each command, and two taps in time.
public struct BenchmarkPage: Sendable {
  /// The measurement.
  public let result: BenchmarkResult
  private let redact: @Sendable (Transcript) -> Transcript

  /// Creates the report.
  ///
  /// - Parameter redact: Returns a transcript as it may be shown.
  public init(_ result: BenchmarkResult, redact: @escaping @Sendable (Transcript) -> Transcript) {
    (self.result, self.redact) = (result, redact)
  }

  /// The page.
  public var html: String {
    let report = result.report
    let card = report.card.map { ", card \($0)" } ?? ""
    let counts = report.counts.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    let outcomes = report.outcomes.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    let timelines = taps.map { title, tap -> HTML in "<h2>\(title)</h2>\n\(tap.html)" }
    return ReportPage(
      title: "Latency of \(report.taps.counted("tap"))",
      lead: [
        "Link \(report.link)\(card).", "Each tap: \(counts). Whole payments: \(outcomes).",
        "Two readings of the clock take \(report.clock) ns, which is part of each time.",
      ],
      sections: [percentiles, "<h2>Times of each command</h2>\n"] + result.distributions.map(histogram) + timelines
    ).text
  }

  private var percentiles: HTML {
    let rows = (result.report.commands + result.report.parts).map { row in
      [row.command, String(row.count)]
        + [row.minimum, row.p50, row.p90, row.p99, row.p999, row.maximum].map { Duration.nanoseconds($0).text }
        + ["\(Int((row.share * 100).rounded())) %"]
    }
    return ReportTable(
      heads: ["Command or part", "Count", "min", "p50", "p90", "p99", "p99.9", "max", "Share"], rows: rows
    ).html
  }

  private func histogram(_ distribution: LatencyDistribution) -> HTML {
    let highest = max(distribution.columns.max() ?? 0, 1)
    let columns = distribution.columns.enumerated().filter { $0.element > 0 }.map { index, count -> HTML in
      // A column with one time of a million is still seen.
      let height = max(count * 100 / highest, 2)
      return "<rect class=\"card\" x=\"\(index)\" y=\"\(100 - height)\" width=\"1\" height=\"\(height)\"/>"
    }
    let count = distribution.columns.reduce(0, +)
    return """
      <figure class="histogram"><figcaption>\(distribution.command), \(count.counted("time"))</figcaption>
      <svg class="tall" viewBox="0 0 \(distribution.columns.count) 100" preserveAspectRatio="none" role="img" \
      aria-label="Histogram of \(distribution.command)">\(columns)</svg>
      <p class="axis"><span>\(Duration.nanoseconds(distribution.lowest).text)</span><span>logarithmic</span>\
      <span>\(Duration.nanoseconds(distribution.highest).text)</span></p></figure>

      """
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

internal import DisplayText
internal import Foundation
internal import Octets
internal import TapLatency

/// The times of one command as columns over a logarithmic axis, with its percentiles and the end of the budget.
struct HistogramFigure {
  /// A time with a name, at which a line is drawn.
  struct Mark {
    let name: String
    let nanoseconds: Int64
  }

  let distribution: LatencyDistribution
  /// Percentiles, the shortest first: at most three, since each name has a line above the columns.
  let marks: [Mark]
  /// A limit that is shown where the axis has it.
  let limit: Mark?

  private var lowest: Double { Double(max(distribution.lowest, 1)) }
  private var highest: Double { max(Double(distribution.highest), lowest * 2) }

  var html: HTML {
    let count = distribution.columns.reduce(0, +)
    let shown = limit.map { [$0] }?.filter { Double($0.nanoseconds) <= highest } ?? []
    let words = (marks + shown).map { "\($0.name) \(Duration.nanoseconds($0.nanoseconds).text)" }.joined(
      separator: ", ")
    return """
      <figure class="histogram"><figcaption>\(distribution.command), \(count.counted("time")): \(words)</figcaption>
      <div class="plot"><div class="counts"><span>\(distribution.columns.max() ?? 0)</span><span>0</span></div>
      <svg role="img" aria-label="Histogram of \(distribution.command): \(words)">\(columns)\(ticks.map(tick))\
      \(marks.enumerated().map { line($1, row: $0) })\(shown.map { line($0, row: 0, isLimit: true) })</svg></div></figure>

      """
  }

  private var columns: HTML {
    let (count, most) = (distribution.columns.count, max(distribution.columns.max() ?? 0, 1))
    let columns = distribution.columns.enumerated().filter { $0.element > 0 }.map { index, times -> HTML in
      // A column with one time of a million is still seen.
      let height = max(times * 10_000 / most, 200)
      return """
        <rect class="card" x="\(Percent(index * 10_000 / count).text)" width="\(Percent(10_000 / count).text)" \
        y="\(Percent(10_000 - height).text)" height="\(Percent(height).text)"/>
        """
    }
    return """
      <svg y="44" height="56"><rect class="ground" width="100%" height="100%"/>\(columns)</svg>
      """
  }

  /// Decades of the axis, or the steps 1, 2 and 5 where there are few.
  private var ticks: [Int64] {
    let decades = (0...18).map { Int64(pow(10, Double($0))) }
    let isOnAxis = { (time: Int64) in (lowest...highest).contains(Double(time)) }
    let tens = decades.filter(isOnAxis)
    return tens.count >= 3 ? tens : decades.flatMap { [$0, $0 * 2, $0 * 5] }.filter(isOnAxis)
  }

  private func tick(_ time: Int64) -> HTML {
    let x = Percent(place(time)).text
    return """
      <line class="tick" x1="\(x)" x2="\(x)" y1="100" y2="105"/>\
      <text x="\(x)" y="118" text-anchor="\(anchor(time))">\(Duration.nanoseconds(time).text)</text>
      """
  }

  private func line(_ mark: Mark, row: Int, isLimit: Bool = false) -> HTML {
    let (x, y) = (Percent(place(mark.nanoseconds)).text, 12 + row * 14)
    return """
      <line class="\(isLimit ? "limit" : "quantile")" x1="\(x)" x2="\(x)" y1="\(y + 2)" y2="100"/>\
      <text class="name" x="\(x)" y="\(y)" text-anchor="\(anchor(mark.nanoseconds))">\(mark.name)</text>
      """
  }

  /// A text at an end of the axis does not leave the picture.
  private func anchor(_ time: Int64) -> HTML {
    switch place(time) {
    case ..<800: "start"
    case 9_200...: "end"
    default: "middle"
    }
  }

  /// A place on the axis in hundredths of a percent.
  private func place(_ time: Int64) -> Int {
    let part = log(Double(max(time, 1)) / lowest) / log(highest / lowest)
    return Int((min(max(part, 0), 1) * 10_000).rounded())
  }
}

internal import DisplayText
internal import Octets
internal import TapScenarios

/// The list of all scenarios by folder, a line each, with the choice of what it shows.
struct ScenarioRows {
  /// A scenario of the list. Its taps are in an article of their own when it did not pass.
  struct Row {
    let index: Int
    let taps: ScenarioTaps
    let verdict: SeriesVerdict

    /// Whether its taps are open in an article above the list.
    var hasArticle: Bool { verdict >= .notJudged }
    /// The identifier of the article.
    var anchor: String { "s\(index + 1)" }
  }

  let rows: [Row]

  var html: HTML {
    let folders = Dictionary(grouping: rows) { Self.folder(of: $0.taps.series.path) }.sorted { $0.key < $1.key }
    return """
      <section id="scenarios"><h2>Scenarios</h2>
      <div class="row heads" aria-hidden="true"><span>Result</span><span>Scenario</span><span>Taps</span>\
      <span>Time in us</span></div>
      \(folders.map { group($0.key, $0.value, isNamed: folders.count > 1) })\
      <p class="none dim">No scenario matches. Choose All, or clear the search.</p></section>

      """
  }

  private static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().last.map(String.init) ?? "."
  }

  /// The choice works without a script, and the search appears with it.
  var filter: HTML {
    let (bad, warned) = (rows.count(where: \.verdict.isBad), rows.count { $0.verdict == .warning })
    let choices: [(id: String, text: String)] = [
      ("all", "All (\(rows.count))"), ("failed", "Not passed (\(bad))"), ("warned", "Warnings (\(warned))"),
    ]
    let inputs = choices.enumerated().map { place, choice -> HTML in
      """
      <label><input type="radio" name="shown" id="\(choice.id)"\(place == 0 ? " checked" : "")>\(choice.text)</label>

      """
    }
    return """
      <fieldset class="filter screen"><legend>Scenarios that are shown</legend>\(inputs)<label hidden>Search \
      <input type="search" id="search"></label> <output id="count" aria-live="polite"></output>\
      <a href="#scenarios">To the list</a></fieldset>

      """
  }

  private func group(_ folder: String, _ rows: [Row], isNamed: Bool) -> HTML {
    let bad = rows.count(where: \.verdict.isBad)
    let counts = rows.count.counted("scenario") + (bad > 0 ? ", \(bad) not passed" : "")
    let title: HTML = isNamed ? "<h3 class=\"folder\">\(folder) <small>\(counts)</small></h3>\n" : .empty
    return "<div class=\"group\">\(title)<ul class=\"rows\">\n\(rows.map(item))</ul></div>\n"
  }

  private func item(_ row: Row) -> HTML {
    let content: HTML =
      row.hasArticle
      ? "<a class=\"row\" href=\"#\(row.anchor)\">\(cells(of: row))</a>"
      : "<details><summary class=\"row\">\(cells(of: row))</summary>\n\(row.taps.html)</details>"
    return "<li class=\"\(row.verdict.row)\">\(content)</li>\n"
  }

  private func cells(of row: Row) -> HTML {
    let series = row.taps.series
    let time = series.runs.reduce(0) { $0 &+ $1.nanoseconds }
    let made = series.runs.count == series.count ? "\(series.count)" : "\(series.runs.count) of \(series.count)"
    let (taps, unit): (HTML, HTML) = (
      "<span class=\"unit\"> taps</span>", "<span class=\"unit\"> us</span>"
    )
    let duration: HTML = time > 0 ? "\(TimeUnit.microseconds.number(time))\(unit)" : .empty
    return """
      <span class="\(row.verdict.mark)">\(row.verdict.word)</span><span class="name">\(series.name)</span>\
      <span>\(made)\(taps)</span><span>\(duration)</span>
      """
  }
}

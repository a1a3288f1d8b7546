internal import DisplayText
internal import Octets
internal import TapScenarios

/// What a report shows of a scenario: what it is, and its taps with their differences and exchanges.
struct ScenarioTaps {
  /// The largest number of differences that are shown of one tap.
  private static let differenceLimit = 50

  let series: ScenarioSeries
  /// What the scenario was made with, where it differs from the run.
  let properties: [RunProperties.Property]
  let taps: [TapSelection.Tap]

  /// The first tap that is not as expected is open, all others are folded.
  var html: HTML {
    let rule: HTML = series.rule.map { "<p class=\"rule dim\">\(series.id ?? ""): \($0)</p>\n" } ?? .empty
    let description: HTML = series.description.map { "<p>\($0)</p>\n" } ?? .empty
    let more = series.runs.count - taps.count
    let note: HTML = more > 0 ? "<p class=\"dim\">\(more) further taps are not shown.</p>\n" : .empty
    let missing: HTML =
      series.missing > 0 ? "<p>\(series.missing) of \(series.count.counted("tap")) were not made.</p>\n" : .empty
    let first = taps.first.map(open) ?? .empty
    return """
      <p class="path dim">\(series.path)</p>
      \(rule)\(first)\(missing)\(taps.dropFirst().map(folded))\(note)\(description)\(PropertyList(properties: properties).html)
      """
  }

  private func open(_ tap: TapSelection.Tap) -> HTML {
    let title: HTML =
      series.count > 1 || tap.run.comment != nil
      ? "<p>\(tap.run.verdict.name), \(self.title(of: tap.run))</p>\n" : .empty
    return "<div class=\"tap\">\(title)\(content(of: tap))</div>\n"
  }

  private func folded(_ tap: TapSelection.Tap) -> HTML {
    let verdict = tap.run.verdict
    let mark: HTML = verdict.isPassed ? "good" : verdict.isAcceptable ? "dim" : "bad"
    let difference: HTML = verdict.sentences.first.map { "<div class=\"dim\">\($0)</div>" } ?? .empty
    return """
      <details class="tap"><summary><span class="\(mark)">\(verdict.name)</span> \(title(of: tap.run))\(difference)</summary>
      \(content(of: tap))</details>

      """
  }

  private func title(of run: ScenarioRun) -> String {
    "tap \(run.number) of \(series.count)" + (run.outcome.map { ": \($0)" } ?? "")
      + (run.comment.map { " (\($0))" } ?? "")
  }

  private func content(of tap: TapSelection.Tap) -> HTML {
    let exchanges = ExplainedExchanges(run: tap.run, isWholeTapShown: tap.payment != nil)
    return "\(differences(of: tap.run))\(exchanges.html)\(self.exchanges(of: tap))"
  }

  private func differences(of run: ScenarioRun) -> HTML {
    switch run.verdict {
    case .passed: return .empty
    case .error(let sentence), .notApplicable(let sentence), .notJudged(let sentence):
      return "<p class=\"reason\">\(sentence)</p>\n"
    case .failed(let failures), .warned(let failures):
      let more = failures.count - Self.differenceLimit
      let rest: HTML = more > 0 ? "<p>\(more) further differences</p>\n" : .empty
      return """
        <table class="differences"><thead><tr><th scope="col">Difference</th><th scope="col">Expected</th>\
        <th scope="col">Found</th></tr></thead><tbody>
        \(failures.prefix(Self.differenceLimit).map(row))</tbody></table>
        \(rest)
        """
    }
  }

  private func row(_ failure: ScenarioFailure) -> HTML {
    let place: HTML =
      failure.exchange.map { number in
        "<div class=\"dim\">exchange \(number)\(failure.command.map { ", \($0)" } ?? "")</div>"
      } ?? .empty
    return """
      <tr><td>\(failure.element)\(place)</td><td class="expected">\(failure.expected)</td>\
      <td class="found">\(failure.got)</td></tr>

      """
  }

  /// The whole tap in time.
  private func exchanges(of tap: TapSelection.Tap) -> HTML {
    guard let payment = tap.payment else { return .empty }
    guard !tap.run.verdict.isPassed else { return payment.html }
    return """
      <details><summary>The whole tap in time: \(payment.steps.count.counted("exchange"))</summary>
      \(payment.html)</details>

      """
  }
}

/// The exchanges that explain why a tap was not as expected.
private struct ExplainedExchanges {
  let run: ScenarioRun
  /// Whether the tap is shown with all its exchanges below.
  let isWholeTapShown: Bool

  /// Those that the differences name; else the last one, and the others folded.
  var html: HTML {
    guard let last = run.explanation.last else { return .empty }
    guard run.verdict.exchanges.isEmpty else { return "\(run.explanation.map(block))" }
    let others = run.explanation.dropLast()
    guard !others.isEmpty, !isWholeTapShown else { return block(last) }
    return """
      \(block(last))<details><summary>The \(others.count.counted("exchange")) before it</summary>
      \(others.map(block))</details>

      """
  }

  private func block(_ exchange: ExplainedExchange) -> HTML {
    "<pre class=\"exchange\">\(DecodedLines.text(of: exchange.lines))</pre>\n"
  }
}

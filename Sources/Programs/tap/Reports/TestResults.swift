import ArgumentParser
import Foundation
import Octets
import ProgramSupport
import TapReports
import TapScenarios
import POSIX

/// How `tap test` prints its results.
enum TestFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
  case junit
}

/// The page of `tap test --report`, and the taps that it shows.
struct TestPage: Sendable {
  let file: ReportFile
  let taps: TapSelection
}

/// Where and how `tap test` reports its results.
struct TestResults: Sendable {
  let format: TestFormat
  /// A file; nil for standard output.
  let output: OutputFile?
  /// Whether taps that passed are left out of the text.
  var isQuiet = false
  /// Whether the text has the exchanges of a tap that did not pass.
  var showsExchanges = false
  /// How many of the slowest taps the text lists; nil for none.
  var slowest: Int?
  /// What the run and its series were made with.
  var properties = RunProperties()
  /// Writes a line about a tap to standard error.
  var note: @Sendable (String) -> Void = { Console.note($0) }
  /// Nil without `--report`.
  let page: TestPage?
  /// When the run began.
  let begun = SystemWallClock().now

  /// Whether standard output has a line for each tap.
  var showsTaps: Bool { format == .text && output == nil }

  /// Reports one tap at once: results as text go to standard output, progress to standard error.
  func tell(_ run: ScenarioRun, _ series: ScenarioSeries, isReal: Bool) {
    // The end of the results has a line with their number.
    if case .notApplicable = run.verdict { return }
    guard !isQuiet || !run.verdict.isPassed else { return }
    if showsTaps { return lines(of: run, in: series, colour: Console.coloured).forEach(Console.print) }
    // Of thousands of taps that pass quickly, only some are reported.
    if isReal || !run.verdict.isPassed || run.number == series.count || run.number % 1_000 == 0 {
      lines(of: run, in: series).forEach(note)
    }
  }

  /// The lines of a tap. The verdict, which is the first word, and the differences have a colour; the exchanges of
  /// `--verbose` have none.
  private func lines(
    of run: ScenarioRun, in series: ScenarioSeries, colour: (String, Console.Colour) -> String = { text, _ in text }
  ) -> [String] {
    let line = run.line(series)
    let word = String(line.prefix { $0 != " " })
    let exchanges = showsExchanges ? run.explanation.flatMap(\.lines).map { "     \($0)" } : []
    let title = colour(word, run.verdict.isPassed ? .green : .red) + line.dropFirst(word.count)
    return [title] + run.verdict.sentences.map { "     " + colour($0, .red) } + exchanges
  }

  /// The results as a whole.
  func report(_ series: [ScenarioSeries], interrupted: Bool) throws {
    let paged = Result {
      if let page {
        try page.file.write {
          ScenarioPage(series, page.taps, isInterrupted: interrupted, properties: properties, run: $0).html
        }
      }
    }
    switch format {
    case .text: try write(text(series, interrupted))
    case .json: try write([Console.json(ScenarioReport(series, interrupted: interrupted, properties: properties))])
    case .junit:
      try write([
        JUnitReport(
          series, isInterrupted: interrupted, properties: properties, showsExchanges: showsExchanges
        ).text
      ])
    }
    try paged.get()
  }

  /// Reports why no tap was made, in place of the results of an earlier run.
  func report(_ error: any Error) throws {
    let paged = Result { if let page { try page.file.write { ScenarioPage.html(of: error, run: $0) } } }
    switch format {
    case .text: break
    case .json: try write([Console.json(JSONObject.error(error))])
    case .junit: try write([JUnitReport(of: error, at: begun).text])
    }
    try paged.get()
  }

  /// Reports what was done and ends the program: a tap that is waited for cannot be ended in a better way at once.
  func interrupt(_ ledger: ScenarioLedger) -> Never {
    Observer.endCurrent()
    TypedLine.restore()
    let (held, series) = (ledger.held, ledger.close() ?? [])
    // The other taps were told when they were made.
    if let held { tell(held.run, held.series, isReal: true) }
    // A report that cannot be written has its own message.
    try? report(series, interrupted: true)
    Console.endProgram(Exit.interrupted.rawValue)
  }

  /// The text: the taps, unless they were reported already; percentiles of repeated taps; the sums.
  private func text(_ series: [ScenarioSeries], _ interrupted: Bool) -> [String] {
    var lines: [String] = []
    for series in series {
      if output != nil {
        for run in series.runs where run.verdict.isApplicable && (!isQuiet || !run.verdict.isPassed) {
          lines += self.lines(of: run, in: series)
        }
      }
      if !isQuiet, series.count > 1, series.latencies.taps > 0 {
        lines += ["", series.name] + series.latencies.table(width: output == nil ? Console.width : nil) + [""]
      }
    }
    if let slowest {
      lines += ["", "slowest taps"]
      lines += series.slowest(slowest).map { tap in
        "\(TimeUnit.milliseconds.text(tap.run.nanoseconds))  \(tap.series.name), tap \(tap.run.number) of \(tap.series.count)"
      }
      lines.append("")
    }
    for (reason, count) in series.reasonsNotApplicable {
      lines.append("NOT APPLICABLE \(count.counted("scenario")): \(reason)")
    }
    return lines + [series.sums + (interrupted ? "; interrupted" : "")]
  }

  private func write(_ lines: [String]) throws {
    guard let output else { return print(lines) }
    do {
      try output.writeAndReport((lines.joined(separator: "\n") + "\n").utf8)
    } catch {
      // The taps were made: their results must not be lost.
      print(lines)
      throw Console.fail(error)
    }
  }

  // XML has several lines and JSON its own escapes.
  private func print(_ lines: [String]) { lines.forEach(format == .text ? Console.print(_:) : Console.write) }
}

import ArgumentParser
import EMVIssuer
import ProgramSupport
import TapReports
import TapScenarios
import Transcripts

extension TestCommand {
  /// The most taps of a scenario at a real terminal without `--repeat`.
  static let mostAskedTaps = 20

  /// Makes the taps of scenarios and reports them.
  func judge(
    _ files: [ScenarioFile], _ subject: TestedSubject, _ capabilities: TestedCapabilities?, _ results: TestResults
  ) async throws -> Exit {
    let items = try subject.items(files, asked: repeatCount)
    let (keys, disclosure) = (try issuer.keys(), try Disclosure(showsAll: false))
    let lock = try record.flatMap { try RecordingLock.take($0) }
    defer { withExtendedLifetime(lock) {} }
    var options = ScenarioRunner.Options()
    (options.timeout, options.failsFast, options.cardStays) = (timeout, failFast, cardStays)
    options.isDestructive = destructive
    switch subject {
    case .cards(let reader):
      let bar = ProgressBar(of: items.reduce(0) { $0 + $1.count }, "taps")
      defer { bar.end() }
      var results = results
      results.note = { bar.note($0) }
      let cards = try reader.subject(keys: keys, isDestructive: destructive)
      let recorder = try recorder(items, reader, disclosure)
      let observer = observer(subject, results, disclosure, recorder, bar)
      return try await run(ScenarioRunner(cards, options, observer: observer), items, results, bar)
    case .terminal(let link):
      let settings = RunSettings(link: link, capabilities: capabilities)
      let earlier = try earlierRun(items, settings)
      let opened = try await link.open(
        TestedLink.Run(
          keys: keys ?? .publicTest, capabilities: capabilities, observe: terminal.observe.map(ObservationCommand.init),
          timeout: timeout, paths: files.map(\.path)))
      defer { opened.close() }
      // A person is not asked for 200 taps unless the number is an option.
      if link.isAttended, repeatCount == nil { options.mostTaps = Self.mostAskedTaps }
      let recorder = try recorder(items, settings, earlier, disclosure)
      let observer = observer(subject, results, disclosure, recorder, nil)
      return try await run(ScenarioRunner(opened.subject, options, observer: observer), items, results, nil)
    }
  }

  private func observer(
    _ subject: TestedSubject, _ results: TestResults, _ disclosure: Disclosure, _ recorder: (any TapRecorder)?,
    _ bar: ProgressBar?
  ) -> TestObserver {
    TestObserver(
      results: results, subject: subject, disclosure: disclosure, recorder: recorder, bar: bar)
  }

  /// Runs scenarios until they are done or a signal comes, and reports the taps that were made.
  private func run(
    _ runner: ScenarioRunner, _ items: [ScenarioRunner.Item], _ results: TestResults, _ bar: ProgressBar?
  ) async throws -> Exit {
    let ledger = ScenarioLedger(items.map { ScenarioSeries($0.file, count: $0.count) })
    let (endings, end) = AsyncStream.makeStream(of: Exit.self)
    let interrupt = Interrupt { _, _ in end.yield(.interrupted) }
    defer { interrupt.end() }
    Task {
      await runner.run(items, into: ledger)
      end.yield(.done)
    }
    if await endings.first(where: { _ in true }) == .interrupted { results.interrupt(ledger) }
    bar?.end()
    let series = ledger.close() ?? []
    try results.report(series, interrupted: false)
    return series.exit
  }
}

// Recordings.
extension TestCommand {
  /// The recordings of the run with which this one goes on; nil for a run that begins.
  private func earlierRun(_ items: [ScenarioRunner.Item], _ settings: RunSettings) throws -> TestRecordings? {
    guard let record, !force, settings.link.isAttended, let earlier = try TestRecordings.earlier(in: record) else {
      return nil
    }
    try settings.check(earlier, items, in: record)
    return earlier
  }

  private func recorder(
    _ items: [ScenarioRunner.Item], _ reader: TestReader, _ disclosure: Disclosure
  ) throws -> CardTapRecorder? {
    guard let record else { return nil }
    let directory = try RecordingDirectory(record, isReplaced: force, items)
    // The recordings that this run judges again may be in the directory.
    if force, !reader.isRecorded { try directory.removeTests() }
    return CardTapRecorder(directory: directory, disclosure: disclosure, reader: reader)
  }

  private func recorder(
    _ items: [ScenarioRunner.Item], _ settings: RunSettings, _ earlier: TestRecordings?, _ disclosure: Disclosure
  ) throws -> TerminalTapRecorder? {
    guard let record else { return nil }
    let directory =
      try earlier == nil
      ? RecordingDirectory(record, isReplaced: force, items) : RecordingDirectory(continuing: record)
    if force { try directory.removeTests() }
    return TerminalTapRecorder(directory: directory, disclosure: disclosure, settings: settings, earlier: earlier)
  }
}

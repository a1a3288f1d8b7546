import ArgumentParser
import EMVIssuer
import ProgramSupport
import TapReports
import TapScenarios
import Transcripts

extension TestCommand {
  /// The most taps of a scenario at a real terminal without `--repeat`.
  static let mostAskedTaps = 20

  /// Judges a terminal.
  func judge(
    _ files: [ScenarioFile], at link: TestedLink, _ capabilities: TestedCapabilities?, _ results: TestResults
  ) async throws -> Exit {
    let items = files.map { file in
      (file: file, count: file.scenario.terminalTest == nil ? 1 : repeatCount ?? file.scenario.repeatCount)
    }
    let disclosure = try Disclosure(showsAll: false)
    let ledger = ScenarioLedger(items.map { ScenarioSeries($0.file, count: $0.count) })
    let lock = try record.flatMap { try RecordingLock.take($0) }
    defer { withExtendedLifetime(lock) {} }
    let settings = RunSettings(link: link, capabilities: capabilities)
    let earlier = try earlierRun(items, settings)
    let opened = try await link.open(
      TestedLink.Run(
        keys: issuer.keys() ?? .publicTest, capabilities: capabilities,
        observe: terminal.observe.map(ObservationCommand.init), timeout: timeout, paths: files.map(\.path)))
    defer { opened.close() }
    var runner = TerminalRunner(open: opened.open)
    runner.failsFast = failFast
    // A person is not asked for 200 taps unless the number is an option.
    if link.isAttended, repeatCount == nil { runner.mostTaps = Self.mostAskedTaps }
    try keep(items, settings, earlier, disclosure, &runner)
    if verbosity.verbose { runner.explain = { TranscriptText(disclosure).lines($0, only: $1.exchanges) } }
    runner.observe = { run, series, index in
      results.page?.taps.add(run, nil, ofSeries: index)
      results.tell(run, series, isReal: link.isAttended)
    }
    let interrupt = Interrupt { _, _ in
      Observer.endCurrent()
      TypedLine.restore()
      results.interrupt(ledger)
    }
    defer { interrupt.end() }
    await runner.run(items, into: ledger)
    return try await finish(ledger, results)
  }

  /// The recordings of the run with which this one goes on; nil for a run that begins.
  private func earlierRun(_ items: [ScenarioRunner.Item], _ settings: RunSettings) throws -> TestRecordings? {
    guard let record, !force, settings.link.isAttended, let earlier = try TestRecordings.earlier(in: record) else {
      return nil
    }
    try settings.check(earlier, items, in: record)
    return earlier
  }

  /// Lets the runner record its taps, and go on where an earlier run with the same directory ended.
  private func keep(
    _ items: [ScenarioRunner.Item], _ settings: RunSettings, _ earlier: TestRecordings?, _ disclosure: Disclosure,
    _ runner: inout TerminalRunner
  ) throws {
    guard let record else { return }
    let isAttended = settings.link.isAttended
    if let earlier { runner.recorded = { earlier.known($0, $1) } }
    let recordings =
      try earlier == nil
      ? RecordingDirectory(record, isReplaced: force, items) : RecordingDirectory(continuing: record)
    if force { try recordings.removeTests() }
    runner.record = { transcript, file, index, number in
      var kept = transcript
      settings.note(in: &kept, of: file, number)
      // The answer to a question is added to a recording that is there already.
      let writer = isAttended ? try RecordingDirectory(continuing: record) : recordings
      let path = earlier?.recording(of: file, number)?.path
      return try writer.write(disclosure.shown(kept), of: file, index, number, over: path)
    }
  }

  /// Refuses the options that have no effect with a link.
  func checkLinkOptions() throws {
    guard let chosenLink else {
      try require(terminal.observe == nil, "--observe needs --link.")
      return try require(
        terminal.capabilities == nil || selection.list || terminal.setup,
        "--capabilities needs --link, --list or --setup.")
    }
    try require(!destructive, "--destructive needs --reader: with --link no card of a person is judged.")
    try require(!cardStays, "--card-stays needs --reader: with --link each tap presents a card of its own.")
    guard !chosenLink.isAttended else { return }
    try require(
      terminal.observe == nil, "--observe needs another link: what was shown is known with \(chosenLink.name).")
    try require(
      timeout == nil, "--timeout needs another link: no terminal is waited for with \(chosenLink.name).")
    if case .replay = chosenLink, record != nil {
      throw ValidationError("--record needs another link: replay has recordings already.")
    }
  }
}

import ArgumentParser
import EMVIssuer
import ProgramSupport
import TapReports
import TapScenarios
import Transcripts

extension TestCommand {
  /// Judges a terminal.
  func judge(
    _ files: [ScenarioFile], at link: TestedLink, _ results: TestResults
  ) async throws -> ExitCode {
    let items = files.map { file in
      (file: file, count: file.scenario.terminalTest == nil ? 1 : repeatCount ?? file.scenario.repeatCount)
    }
    let disclosure = try Disclosure(showsAll: false)
    let ledger = ScenarioLedger(items.map { ScenarioSeries($0.file, count: $0.count) })
    let opened = try await link.open(
      keys: issuer.keys() ?? .publicTest, observe: observe.map(ObservationCommand.init), timeout: timeout)
    defer { opened.close() }
    var runner = TerminalRunner(open: opened.open)
    runner.failsFast = failFast
    if let record {
      let recordings = try RecordingDirectory(record, isReplaced: force, items)
      runner.record = { try recordings.write(disclosure.shown($0), of: $1, $2, $3) }
    }
    if verbosity.verbose { runner.explain = { TranscriptText(disclosure).lines($0, only: $1.exchanges) } }
    let isReal = if case .ownTerminal = link { false } else { true }
    runner.observe = { run, series, index in
      results.page?.taps.add(run, nil, ofSeries: index)
      results.tell(run, series, isReal: isReal)
    }
    let interrupt = Interrupt { _, _ in
      Observer.endCurrent()
      results.interrupt(ledger)
    }
    defer { interrupt.end() }
    await runner.run(items, into: ledger)
    return try await finish(ledger, results)
  }

  /// Refuses the options that have no effect with a link.
  func checkLinkOptions() throws {
    guard let chosenLink else {
      guard observe == nil else { throw ValidationError("--observe needs --link.") }
      return
    }
    guard !cardStays else {
      throw ValidationError("--card-stays needs --reader: with --link each tap presents a card of its own.")
    }
    guard case .ownTerminal = chosenLink else { return }
    guard observe == nil else {
      throw ValidationError("--observe needs another link: the terminal of loopback reports what it shows.")
    }
    guard timeout == nil else {
      throw ValidationError("--timeout needs another link: the terminal of loopback is not waited for.")
    }
  }
}

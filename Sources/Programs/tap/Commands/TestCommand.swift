import ArgumentParser
import EMVData
import ISO7816
import ProgramSupport
import TapReports
import TapScenarios
import Transcripts
import WholeFiles

/// Tap tests with expectations, as scenarios describe them.
struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Tap tests: judge a card at a reader, or a terminal at a link, by scenarios.",
    discussion: """
      A scenario is a YAML or JSON file; Fixtures/Scenarios/README.md describes it. Scenarios with role: card judge a \
      terminal and need --link, all others judge a card and need --reader. Exit codes: 0 all taps passed, or had \
      warnings; 2 a tap was not as expected, was torn or was not judged, the whole run was not judged, or a scenario has \
      problems; 3 a card, reader or terminal was not reached; 1 a file cannot be read or written; 130 interrupted, after the \
      report of what was done.
      """)

  @Argument(
    help: ArgumentHelp("Scenarios, or directories of them.", valueName: "scenario"),
    completion: .file(extensions: ["yaml", "yml", "json"]))
  var scenarios: [String]
  @Option(
    name: .customLong("reader"),
    help: ArgumentHelp(
      """
      Where the card is: loopback (the card that each scenario names), \(PlaceKind.forms), where FILE of replay may be \
      a directory of recordings, a tap for each; \(DefaultPlace.help(DefaultPlace.readerVariable)).
      """, valueName: "reader"), completion: TestReader.defaultCompletionKind)
  var chosenReader: TestReader?
  @Option(
    name: .customLong("link"),
    help: ArgumentHelp(
      """
      Where the cards are presented to the terminal that is judged: loopback (the terminal of this project, in this \
      process), vpcd:HOST:PORT, nfc:CONNSTRING or acr122:NAME; replay:DIR judges the recordings of --record again.
      """, valueName: "link"), completion: LinkName.defaultCompletionKind)
  var chosenLink: TestedLink?
  @Flag(help: "Also run scenarios that spend many uses of the card or may block it.")
  var destructive = false
  @OptionGroup var terminal: TestedTerminalOptions
  @Option(name: .customLong("repeat"), help: "How many taps of each scenario, 1 to 10000; what it says when left out.")
  var repeatCount: Int?
  @Option(
    help: ArgumentHelp(
      "How long to wait for a card, in seconds: 1 to 3600; 60 or what the scenario says.", valueName: "seconds"))
  var timeout: Int?
  @Flag(help: "End at the first tap that does not pass.")
  var failFast = false
  @Flag(help: "The card stays at the reader between taps: no prompt asks for its removal.")
  var cardStays = false
  @Flag(help: "Only read the scenarios and their terminals, and print what they would do; needs no reader.")
  var check = false
  @OptionGroup var selection: TestSelection
  @OptionGroup var verbosity: Verbosity
  @OptionGroup var issuer: IssuerKeyOptions
  @Option(
    help: ArgumentHelp("Keep a recording of each tap, for tap replay.", valueName: "dir"), completion: .directory)
  var record: String?
  @Option(help: "How results are printed: text, json (one document) or junit (XML).")
  var format = TestFormat.text
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where results are written; standard output when left out.", valueName: "file"),
    completion: .file())
  var output: String?
  @Option(
    help: ArgumentHelp(
      "Write a page with verdicts, differences and taps in time; account numbers are masked.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?
  @Flag(
    help: "Write over results that exist, and remove the recordings of tests in the directories of --record.")
  var force = false

  func validate() throws {
    let only = selection.list ? "--list" : check ? "--check" : terminal.setup ? "--setup" : nil
    try require(
      chosenLink == nil || chosenReader == nil,
      "--link and --reader exclude each other: one judges a terminal, the other a card.")
    try checkLinkOptions()
    guard try only != nil || chosenLink != nil || reader() != nil else {
      throw ValidationError(
        "--reader or --link is needed, or --check, --list or --setup, or the environment variable \(DefaultPlace.readerVariable)."
      )
    }
    if let only,
      chosenReader != nil || chosenLink != nil || record != nil || output != nil || report != nil || format != .text
    {
      throw ValidationError("\(only) takes none of --reader, --link, --record, --report, --format and --output.")
    }
    try require(
      [check, selection.list, terminal.setup].count(where: \.self) < 2,
      "--check, --list and --setup exclude each other.")
    try require(
      selection.slowest == nil || format == .text,
      "--slowest needs --format text: the other formats have the time of each tap.")
    try require(
      !force || output != nil || record != nil || report != nil,
      "--force needs --output FILE, --record DIR or --report FILE.")
    try require("--repeat", repeatCount, in: TapScenario.repeatCounts)
    try require("--timeout", timeout, in: TapScenario.timeouts)
  }

  /// The reader of the option, or that of the environment.
  private func reader() throws -> TestReader? {
    try DefaultPlace.value(chosenReader, else: DefaultPlace.readerVariable, for: "--reader")
  }

  func run() async throws {
    let reader = try selection.list || check || terminal.setup || chosenLink != nil ? nil : reader()
    let outputFile = output.map { OutputFile(path: $0, isReplaced: force) }
    var results: TestResults
    do {
      let page = try report.map { path in
        let disclosure = try Disclosure(showsAll: false)
        return TestPage(
          file: OutputFile(path: path, isReplaced: force), taps: TapSelection { disclosure.shown($0) })
      }
      results = TestResults(
        format: format, output: outputFile, isQuiet: verbosity.quiet, slowest: selection.slowest, page: page)
      if let chosenLink { results.properties = chosenLink.properties(try terminal.read()) }
      if let reader { results.properties = reader.properties }
      try outputFile?.check()
      try page?.file.check()
    } catch { throw Console.fail(error) }
    do {
      let files = try selection.selected(
        from:
          ScenarioFile.all(scenarios, terminal: ShippedTerminal.profile, tested: ShippedTerminal.everyCard))
      let capabilities = try terminal.read()
      if let chosenLink { throw try await judge(files, at: chosenLink, capabilities, results).code }
      if terminal.setup { return TerminalSetup(files, capabilities).lines.forEach(Console.print) }
      guard let reader else { return describe(files, at: capabilities) }
      let items = try files.map { (file: $0, count: try reader.count(of: $0, asked: repeatCount)) }
      throw try await test(items, at: reader, results).code
    } catch let code as ExitCode {
      throw code
    } catch {
      // A report that cannot be written has its own message.
      try? results.report(error)
      throw Console.fail(error)
    }
  }

  /// Reports the results, unless an interruption does.
  func finish(_ ledger: ScenarioLedger, _ results: TestResults) async throws -> Exit {
    guard let series = ledger.close() else {
      // The report of the interruption is under way, and ends the program.
      while true { try await Task.sleep(for: .seconds(1)) }
    }
    try results.report(series, interrupted: false)
    return series.exit
  }

  private func test(
    _ files: [ScenarioRunner.Item], at reader: TestReader, _ results: TestResults
  ) async throws -> Exit {
    let keys = try issuer.keys()
    let ledger = ScenarioLedger(files.map { ScenarioSeries($0.file, count: $0.count) })
    let disclosure = try Disclosure(showsAll: false)
    let destructive = destructive
    var runner = ScenarioRunner { file, taps in
      try await reader.open(file, taps: taps, keys: keys, isDestructive: destructive)
    }
    (runner.timeout, runner.failsFast, runner.cardStays) = (timeout, failFast, cardStays)
    runner.isDestructive = destructive
    let replayed = try reader.recordings()
    runner.openCard = { file, taps in try await reader.cardPlace(for: file, taps: taps, keys: keys, replayed) }
    runner.disclosure = { node, number in
      number.map { disclosure.shown(node, of: $0) } ?? disclosure.shown(node)
    }
    let lock = try record.flatMap { try RecordingLock.take($0) }
    defer { withExtendedLifetime(lock) {} }
    if let record {
      let recordings = try RecordingDirectory(record, isReplaced: force, files)
      // The recordings that this run judges again may be in the directory.
      if force, !reader.isRecorded { try recordings.removeTests() }
      runner.record = { transcript, file, index, number in
        let marked = disclosure.marked(transcript)
        let isShown = try marked != transcript && reader.shows(disclosure, of: file)
        return try recordings.write(isShown ? transcript : marked, of: file, index, number)
      }
    }
    if verbosity.verbose { runner.explain = { TranscriptText(disclosure).lines($0, only: $1.exchanges) } }
    if let page = results.page { runner.examine = { page.taps.add($0, $1, ofSeries: $2) } }
    runner.prompt = { Console.note($0) }
    let bar = ProgressBar(of: files.reduce(0) { $0 + $1.count }, "taps")
    defer { bar.end() }
    var told = results
    told.note = { bar.note($0) }
    runner.observe = { [told] in
      told.tell($0, $1, isReal: $2)
      if !told.showsTaps { bar.add() }
    }
    let interrupt = Interrupt { _, _ in results.interrupt(ledger) }
    defer { interrupt.end() }
    await runner.run(files, into: ledger)
    bar.end()
    return try await finish(ledger, results)
  }
}

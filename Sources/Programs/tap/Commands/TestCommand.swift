import ArgumentParser
import DisplayText
import EMVData
import ISO7816
import ProgramSupport
import TapReports
import TapScenarios
import Transcripts
import POSIX

/// Tap tests with expectations, as scenarios describe them.
struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Tap tests: judge a card at a reader, or a terminal at a link, by scenarios.",
    help: CommandHelp(
      """
      A scenario is a YAML or JSON file; Fixtures/Scenarios/README.md describes it. Scenarios with role: card \
      judge a terminal and need --link, all others judge a card and need --reader.
      """,
      examples: [
        "tap test scenarios --reader loopback": "Run the scenarios of a folder, with their cards in this process.",
        "tap test scenario.yaml --reader pcsc:ACR122U --repeat 3 --format junit -o result.xml":
          "Tap a real card three times, with a result for CI.",
        "tap test scenarios --check": "Check the scenarios without a card.",
      ],
      exits: [
        .done: "all taps passed, or had warnings",
        .notRight:
          "a tap was not as expected, was torn or was not judged, the whole run was not judged, or a scenario has problems",
        .notReached: "a card, reader or terminal was not reached",
        .error: "a file cannot be read or written",
        .interrupted: "interrupted, after the report of what was done",
      ],
      environment: [.reader],
      related: ["tap-replay", "tap-lab"]))

  @Argument(
    help: ArgumentHelp(
      """
      Scenarios, or directories of them. A directory with scenarios does not include its directories; one without them does.
      """, valueName: "scenario"),
    completion: FileCompletion.named(endingIn: ".yaml", ".yml", ".json"))
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
      "Write a page with verdicts, differences and taps in time; account numbers of cards that are no test cards are masked.",
      valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?
  @Flag(
    help: "Write over results that exist, and remove the recordings of tests in the directories of --record.")
  var force = false

  /// The option with which the command only prints; nil without one.
  private var printingOption: String? {
    selection.list ? "--list" : check ? "--check" : terminal.setup ? "--setup" : nil
  }

  func validate() throws {
    let only = printingOption
    try require(
      chosenLink == nil || chosenReader == nil,
      "--link and --reader exclude each other: one judges a terminal, the other a card.")
    try checkLinkOptions()
    // A variable that is wrong is reported with the usage, also when a scenario cannot be read.
    if only == nil, chosenLink == nil { _ = try reader() }
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

  /// What the options judge; nil for options that only print.
  private func subject() throws -> TestedSubject? {
    if selection.list || check || terminal.setup { return nil }
    if let chosenLink { return .terminal(chosenLink) }
    return try reader().map(TestedSubject.cards)
  }

  func run() async throws {
    let subject = try subject()
    if subject == nil, printingOption == nil { throw try missingPlace() }
    let results: TestResults
    do { results = try emptyResults(subject) } catch { throw Console.fail(error) }
    do {
      let exit = try await judge(subject, results)
      if exit != .done { throw exit.code }
    } catch let code as ExitCode {
      throw code
    } catch {
      // A report that cannot be written has its own message.
      try? results.report(error)
      throw Console.fail(error)
    }
  }

  /// Why there is nothing to judge: a scenario that cannot be read, or else the reader and the link that were left out.
  ///
  /// - Throws: `ExitCode` for such a scenario, after its report.
  private func missingPlace() throws -> ValidationError {
    do throws(ScenarioFileError) {
      _ = try ScenarioFile.all(
        scenarios.map { NamedFile.path($0) }, terminal: ShippedTerminal.profile, tested: ShippedTerminal.everyCard)
    } catch {
      // Other problems of a scenario are reported when there is a reader.
      if error.isUnreadable {
        try? emptyResults(nil).report(error)
        throw Console.fail(error)
      }
    }
    return ValidationError(
      "--reader or --link is needed, or --check, --list or --setup, or the environment variable \(DefaultPlace.readerVariable)."
    )
  }

  /// The results before the first tap. Fails when their files cannot be written.
  private func emptyResults(_ subject: TestedSubject?) throws -> TestResults {
    let outputFile = output.map { OutputFile(path: $0, isReplaced: force) }
    let page = try ReportFile(path: report, isReplaced: force, of: scenarios.first).map { file in
      let disclosure = try Disclosure(showsAll: false)
      return TestPage(file: file, taps: TapSelection { disclosure.shown($0) })
    }
    var results = TestResults(
      format: format, output: outputFile, isQuiet: verbosity.quiet, showsExchanges: verbosity.verbose,
      slowest: selection.slowest, page: page)
    if let subject { results.properties = try subject.properties(terminal.read()) }
    try outputFile?.check()
    try page?.file.check()
    return results
  }

  /// Reads the scenarios, and judges a subject by them; without one, prints them.
  private func judge(_ subject: TestedSubject?, _ results: TestResults) async throws -> Exit {
    let paths = try scenarios.map { try NamedFile.existing($0) }
    let files = try selection.selected(
      from: ScenarioFile.all(paths, terminal: ShippedTerminal.profile, tested: ShippedTerminal.everyCard))
    let leftOut = ScenarioFile.directoriesLeftOut(of: paths)
    if !leftOut.isEmpty {
      Console.note("note: not included, name them too: \(leftOut.map(\.shellWord).joined(separator: " "))")
    }
    let capabilities = try terminal.read()
    if let subject { return try await judge(files, subject, capabilities, results) }
    if terminal.setup {
      TerminalSetup(files, capabilities).lines.forEach(Console.print)
    } else {
      describe(files, at: capabilities)
    }
    return .done
  }

  /// Refuses the options that have no effect with a link.
  private func checkLinkOptions() throws {
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

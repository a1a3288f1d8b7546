import ArgumentParser
import EMVData
import ISO7816
import PaymentAcceptance
import TapScenarios

/// Tap tests with expectations, as scenarios describe them.
struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Tap tests: take the payments of scenarios and compare each with its expectations.",
    discussion: """
      A scenario is a YAML or JSON file; Fixtures/Scenarios/README.md describes it. Exit codes: 0 all taps passed; \
      2 a tap was not as expected; 1 an error, such as a link that failed or a scenario that cannot be read; 130 \
      interrupted, after the report of what was done.
      """)

  @Argument(
    help: ArgumentHelp("Scenarios, or directories of them.", valueName: "scenario"),
    completion: .file(extensions: ["yaml", "yml", "json"]))
  var scenarios: [String]
  @Option(
    help: "Where the card is: loopback (the card that each scenario names), \(ReaderKind.forms).")
  var reader: TestReader?
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
  @Flag(help: "Only read the scenarios and their terminals, and say what they would do; needs no reader.")
  var check = false
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
  @Flag(help: "Write over results and recordings that exist.")
  var force = false

  func validate() throws {
    guard reader != nil || check else { throw ValidationError("--reader is needed, or --check.") }
    guard !check || (reader == nil && record == nil && output == nil && format == .text) else {
      throw ValidationError("--check takes none of --reader, --record, --format and --output.")
    }
    guard !force || output != nil || record != nil else {
      throw ValidationError("--force needs --output FILE or --record DIR.")
    }
    if let repeatCount, !TapScenario.repeatCounts.contains(repeatCount) {
      throw ValidationError("--repeat \(repeatCount): the range is 1...10000.")
    }
    if let timeout, !TapScenario.timeouts.contains(timeout) {
      throw ValidationError("--timeout \(timeout): the range is 1...3600.")
    }
  }

  func run() async throws {
    let outputFile = output.map { OutputFile(path: $0, isReplaced: force) }
    let results = TestResults(format: format, output: outputFile)
    do {
      try outputFile?.check()
    } catch {
      throw Console.fail("\(error)")
    }
    do {
      let files = try ScenarioFile.all(scenarios, terminal: ShippedTerminal.profile).map {
        (file: $0, count: repeatCount ?? $0.scenario.repeatCount)
      }
      guard !check, let reader else { return describe(files) }
      throw try await test(files, at: reader, results)
    } catch let code as ExitCode {
      throw code
    } catch {
      // A report that cannot be written has its own message.
      try? results.report(error)
      throw Console.fail("\(error)")
    }
  }

  private func describe(_ files: [(file: ScenarioFile, count: Int)]) {
    for (file, count) in files {
      Console.print("\(file.path): \(file.scenario.name), \(file.price), \(count) tap\(count == 1 ? "" : "s")")
    }
  }

  private func test(
    _ files: [(file: ScenarioFile, count: Int)], at reader: TestReader, _ results: TestResults
  ) async throws -> ExitCode {
    let ledger = ScenarioLedger(files.map { ScenarioSeries($0.file, count: $0.count) })
    let disclosure = try Disclosure(showsAll: false)
    var runner = ScenarioRunner { file, taps in try await reader.open(for: file, taps: taps) }
    (runner.timeout, runner.failsFast, runner.cardStays) = (timeout, failFast, cardStays)
    runner.disclosure = { node, number in
      number.map { disclosure.shown(node, of: $0) } ?? DataElement.text(of: node.tag, node.value)
    }
    if let record {
      let recordings = try RecordingDirectory(record, isReplaced: force, files)
      runner.record = { try recordings.write(disclosure.shown($0), of: $1, $2, $3) }
    }
    runner.prompt = { Console.note($0) }
    runner.observe = { results.tell($0, $1, isReal: $2) }
    let interrupt = Interrupt { _, _ in results.interrupt(ledger) }
    defer { interrupt.end() }
    await runner.run(files, into: ledger)
    guard let series = ledger.close() else {
      // The report of the interruption is under way, and ends the program.
      while true { try await Task.sleep(for: .seconds(1)) }
    }
    try results.report(series, interrupted: false)
    return series.exitCode
  }
}

/// Where `tap test` finds its cards.
enum TestReader: Sendable {
  /// In this process, the card that each scenario names.
  case scenarioCards
  case reader(ReaderName)

  /// Opens the place of a scenario's taps.
  func open(for file: ScenarioFile, taps: Int) async throws -> any PaymentPlace {
    let reader =
      switch self {
      case .scenarioCards: ReaderName(.loopback, try file.card())
      case .reader(let name): name
      }
    let card = file.scenario.card
    return try await reader.open(
      ReaderOptions(
        payments: taps, faults: reader.kind.hasOwnCard && card.isFaulty ? .text : nil, isVerified: card.isVerified))
  }
}

extension [ScenarioSeries] {
  /// The exit code of `tap test`: an error says more about the set-up than a failure says about the card.
  var exitCode: ExitCode {
    if count("error") > 0 { return .failure }
    return count("failed") > 0 ? ExitCode(2) : .success
  }
}

extension TestReader: ExpressibleByArgument {
  init?(argument: String) {
    if argument == "loopback" {
      self = .scenarioCards
    } else if let name = ReaderName(argument: argument) {
      self = .reader(name)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { ["loopback"] + ReaderName.allValueStrings }
}

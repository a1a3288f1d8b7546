import ArgumentParser
import CardExploration
import EMVTerminal
import LinkTiming
import PaymentAcceptance
import ProgramSupport
import TapLatency
import TapReports
import Transcripts
import USBSimulator
import POSIX

/// Latency of the APDU path.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Latency of the APDU path: percentiles per command over many taps.",
    help: CommandHelp(
      """
      A time is from a command's hand-over to the link until its response is back. Over loopback every tap is \
      a whole payment with a verification, an arming and a reserved use of its own. Over direct and vpcd one \
      armed card answers the commands of a tap again and again; the command that spends its use is measured in \
      a few whole payments. At a reader every tap is a payment with the card that is there, which may stay in \
      the field. A card that is not yet ready for the next payment refuses it; the line "whole taps" counts \
      the outcomes. With --over nothing is measured: the times of a tap are computed from its bytes and from published \
      values of the links.
      """,
      examples: [
        "tap bench --link loopback --taps 100 --save after.json": "Measure a hundred payments, and keep the result.",
        "tap bench --link loopback --taps 100 --compare before.json":
          "Fail when a count has grown since an earlier measurement.",
        "tap bench --over phone,106k,acr122u": "Model where the time of a tap goes, over links that are not here.",
      ],
      exits: [
        .done: "all taps were approved, at a reader all taps had an outcome",
        .notRight: "a tap failed, or, with --compare, a count has grown or the whole tap is slower than tolerated",
        .notReached: "no card or reader was reached",
        .error: "a file cannot be read or written",
      ],
      environment: [.reader]))

  @Option(
    help: """
      The link: direct (card and terminal on one thread), loopback (on two threads), or vpcd (through a pcscd of its own).
      """)
  var link: BenchLink?
  @Option(
    name: .customLong("reader"),
    help: ArgumentHelp(
      """
      A card at a reader in place of --link: acr122:NAME, nfc:CONNSTRING or pcsc:NAME. When --link and --card are left \
      out too, that of \(DefaultPlace.readerVariable), if it is such a reader.
      """, valueName: "reader"), completion: ReaderName.defaultCompletionKind)
  var chosenReader: ReaderName?
  @Option(
    help: ArgumentHelp("The card profile; the shipped one when left out.", valueName: "file"),
    completion: FileCompletion.card)
  var card: String?
  @Option(help: "How many taps: 1 to 1000000; over loopback and at a reader 1 to 10000.")
  var taps: Int?
  @Option(help: "How many taps before them are not measured: 0 to 10000.")
  var warmUp: Int?
  @Option(help: ArgumentHelp("How long to wait for a card at a reader, in seconds: 1 to 3600.", valueName: "seconds"))
  var timeout = 60
  @Option(
    help: ArgumentHelp("Write the result with all times as JSON, for --compare.", valueName: "file"),
    completion: .file())
  var save: String?
  @Option(
    help: ArgumentHelp(
      "Write a page with percentiles, histograms and two taps in time; account numbers of cards that are no test cards are masked.",
      valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?
  @Flag(help: "Write over files of --save, --samples and --report that exist.")
  var force = false
  @Option(
    help: ArgumentHelp(
      "Write all times as comma-separated values, with the columns command, number and ns.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var samples: String?
  @OptionGroup var comparing: BenchCompareOptions
  @OptionGroup var model: BenchModelOptions
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    let most = try reader() != nil || place == .loopback ? 10_000 : 1_000_000
    try require("--taps", taps, in: 1...most)
    try require("--warm-up", warmUp, in: 0...10_000)
    try require("--timeout", timeout, in: 1...3600)
    try require(
      !force || save != nil || samples != nil || report != nil,
      "--force needs --save FILE, --samples FILE or --report FILE.")
    if model.over != nil {
      try require(
        link == nil && chosenReader == nil && taps == nil && warmUp == nil && save == nil && samples == nil
          && comparing.compare == nil,
        "--over measures nothing: it needs neither --link, --reader, --taps, --warm-up, --save, --samples nor --compare."
      )
      try require(card == nil || model.recording == nil, "--recording needs no --card.")
    }
    guard let reader = chosenReader else { return }
    try require(link == nil && card == nil, "--reader needs neither --link nor --card.")
    try require(
      reader.kind.isDevice, "--reader \(reader.kind.prefix): a reader is acr122:NAME, nfc:CONNSTRING or pcsc:NAME.")
  }

  /// The reader of the option, or that of the environment when nothing else says what is measured.
  private func reader() throws -> ReaderName? {
    guard chosenReader == nil, link == nil, card == nil else { return chosenReader }
    let reader = try DefaultPlace.value(ReaderName?.none, else: DefaultPlace.readerVariable, for: "--link")
    return reader?.kind.isDevice == true ? reader : nil
  }

  /// The link of a card in this process.
  private var place: BenchLink { link ?? .loopback }

  func run() async throws {
    try await Console.reportingErrors(as: format) {
      let page = ReportFile(path: report, isReplaced: force)
      try page?.check()
      if let chain = try model.chain() { return try await show(modelled(over: chain), page) }
      for file in [saved, sampled] { try file?.check() }
      switch try comparing.earlier(arguments: arguments()) {
      case .turns(let subject): try compare(with: subject, page)
      case .saved(let earlier): try await measure(comparedWith: earlier, page)
      case nil: try await measure(comparedWith: nil, page)
      }
    }
  }

  private func measure(comparedWith earlier: SavedBenchmark?, _ page: ReportFile?) async throws {
    let result = try await measure()
    let kept = SavedBenchmark(result)
    try saved?.writeAndReport(Console.json(kept).utf8)
    try sampled?.writeAndReport(kept.commaSeparated.utf8)
    let comparison = try earlier.map { earlier in
      let times = PairedTimes(kept.samples, with: earlier.samples, tolerance: comparing.part)
      return try BenchmarkComparison(kept.report, with: earlier.report, times: times)
    }
    try page?.write { run in
      BenchmarkPage(result, comparison: comparison, run: run, redact: try Disclosure(showsAll: false).shown).html
    }
    let width = Console.width
    try show(
      BenchOutput(report: result.report, comparison: comparison),
      lines: result.report.table(width: width) + [""] + result.histogram(width: width)
        + (comparison.map { [""] + $0.lines } ?? []))
    if let comparison { try judge(comparison, failsWhenSlower: comparing.tolerance != nil) }
  }

  /// Measures this build and another subject in turns, each in a process of its own.
  private func compare(with subject: BenchSubject, _ page: ReportFile?) throws {
    try require(
      save == nil && samples == nil,
      "--compare in turns needs neither --save nor --samples: --format json has its rounds.")
    let rounds = comparing.rounds ?? 30
    let bar = ProgressBar(of: rounds, "rounds")
    let turns = BenchTurns(before: subject, now: try arguments().subject(), rounds: rounds)
    let (report, comparison) = try turns.run(tolerance: comparing.part) { bar.show($0) }
    bar.end()
    try page?.write { ComparisonPage(comparison, run: $0).html }
    try show(BenchOutput(report: report, comparison: comparison), lines: comparison.lines)
    try judge(comparison, failsWhenSlower: true)
  }

  /// The arguments of one measurement by another process.
  private func arguments() throws -> BenchArguments {
    let reader = try reader()
    return BenchArguments(
      link: reader == nil ? place.rawValue : nil, reader: reader.map { "\($0.kind.prefix):\($0.name)" }, card: card,
      taps: taps ?? (reader == nil ? 50 : 2), warmUp: warmUp ?? 1, timeout: timeout)
  }

  private func modelled(over chain: LinkChain) async throws -> ModelledTap {
    if let file = model.recording {
      if let evidence = try Self.evidence(in: file) {
        return try ModelledTap(evidence, in: file, times: model.times, over: chain)
      }
      return ModelledTap(try RecordingFile.transcript(at: file), times: model.times, over: chain)
    }
    let terminal = try ShippedTerminal.forEveryCard()
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: terminal)
    let image = try card.map(CardFiles.card) ?? ShippedCards.demo()
    let result = try await TapBenchmark(image, over: .direct, taps: 1, warmUp: 0).run(request, at: terminal)
    guard let tap = result.fastest else { throw InputError(description: "no tap was made", code: .failed) }
    return ModelledTap(tap, over: chain)
  }

  /// The evidence in a file; nil for a recording. A pipe can be read once only, and is left to the reader of recordings.
  private static func evidence(in file: String) throws -> ReaderEvidence? {
    guard (try? FileStatus(of: NamedFile.path(file)))?.kind == .regular else { return nil }
    return try CardFiles.naming(file) { try ReaderEvidence.evidence(in: NamedFile.read(file)) }
  }

  private func show(_ tap: ModelledTap, _ page: ReportFile?) throws {
    try page?.write { BudgetPage(tap.budget, comparison: tap.comparison, run: $0).html }
    try show(tap, lines: tap.lines(width: Console.width))
  }

  private func show(_ result: some Encodable, lines: [String]) throws {
    switch format {
    case .json: try Console.print(json: result)
    case .text: lines.forEach(Console.print)
    }
  }

  private var saved: OutputFile? { save.map { OutputFile(path: $0, isReplaced: force) } }

  private var sampled: OutputFile? { samples.map { OutputFile(path: $0, isReplaced: force) } }

  private func measure() async throws -> BenchmarkResult {
    let terminal = try ShippedTerminal.forEveryCard()
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: terminal)
    if let reader = try reader() { return try await measure(request, at: terminal, reader) }
    let image = try card.map(CardFiles.card) ?? ShippedCards.demo()
    let (taps, warmUp) = (taps ?? 1_000, warmUp ?? 10)
    let bar = ProgressBar(of: taps, "taps")
    defer { bar.end() }
    return try await place.withMeeting { meeting in
      try await TapBenchmark(image, over: meeting, taps: taps, warmUp: warmUp).run(request, at: terminal) {
        bar.show($0)
      }
    }
  }

  private func measure(
    _ request: PaymentRequest, at configuration: TerminalConfiguration, _ reader: ReaderName
  ) async throws -> BenchmarkResult {
    let benchmark = ReaderBenchmark("\(reader.kind.prefix):\(reader.name)", taps: taps ?? 10, warmUp: warmUp ?? 1)
    let terminal = PaymentAcceptance(configuration: configuration, host: ShippedCards.host())
    let (timeout, bar) = (Duration.seconds(timeout), ProgressBar(of: taps ?? 10, "taps"))
    defer { bar.end() }
    return try await reader.kind.card(reader.name).withField(timeout: timeout) { field in
      Result {
        try benchmark.run(request, by: terminal, at: &field, timeout: timeout) { bar.show($0) }
      }
    }.get()
  }

  /// Ends with 2 when a count has grown, and when the whole tap is slower than tolerated.
  private func judge(_ comparison: BenchmarkComparison, failsWhenSlower: Bool) throws {
    for change in comparison.counts where change.isRegression {
      Console.note("error: each tap: \(change.name) \(change.now), and \(change.before) in \(comparing.compare ?? "")")
    }
    let isSlower = failsWhenSlower && comparison.isSlower
    if isSlower, let whole = comparison.times?.whole { Console.note("error: \(whole.line)") }
    if comparison.isRegression || isSlower { throw Exit.notRight.code }
  }
}

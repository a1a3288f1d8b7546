import ArgumentParser
import CardExploration
import EMVTerminal
import PaymentAcceptance
import ProgramSupport
import TapLatency
import TapReports
import Transcripts
import POSIX

/// Latency of the APDU path.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Latency of the APDU path: percentiles per command over many taps.",
    discussion: """
      A time is from a command's hand-over to the link until its response is back. Over loopback every tap is a whole \
      payment with a verification, an arming and a reserved use of its own. Over direct and vpcd one armed card answers the \
      commands of a tap again and again; the command that spends its use is measured in a few whole payments. At a reader \
      every tap is a payment with the card that is there, which may stay in the field. A card that is not yet ready \
      for the next payment refuses it; the line "taps" counts the outcomes. Exit codes: 0 all taps were approved, at a \
      reader all taps had an outcome; 2 a tap failed, or a count has grown since the measurement of --compare; 3 no card \
      or reader was reached; 1 a file cannot be read or written.
      """)

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
  @Option(help: ArgumentHelp("Write the result as JSON, for --compare.", valueName: "file"), completion: .file())
  var save: String?
  @Option(
    help: ArgumentHelp(
      "Write a page with percentiles, histograms and two taps in time; account numbers are masked.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?
  @Flag(help: "Write over files of --save and --report that exist.")
  var force = false
  @Option(
    help: ArgumentHelp("Compare with a result of --save.", valueName: "file"), completion: .file(extensions: ["json"]))
  var compare: String?
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    let most = try reader() != nil || place == .loopback ? 10_000 : 1_000_000
    try require("--taps", taps, in: 1...most)
    try require("--warm-up", warmUp, in: 0...10_000)
    try require("--timeout", timeout, in: 1...3600)
    try require(!force || save != nil || report != nil, "--force needs --save FILE or --report FILE.")
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
      try saved?.check()
      try page?.check()
      let earlier = try compare.map(BenchFile.report)
      let result = try await measure()
      try saved?.write(Console.json(result.report).utf8)
      try page?.write(BenchmarkPage(result, redact: Disclosure(showsAll: false).shown).html.utf8)
      try show(result, with: earlier)
    }
  }

  private var saved: OutputFile? { save.map { OutputFile(path: $0, isReplaced: force) } }
  private var page: OutputFile? { report.map { OutputFile(path: $0, isReplaced: force) } }

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

  private func show(_ result: BenchmarkResult, with earlier: BenchmarkReport?) throws {
    let comparison = try earlier.map { try BenchmarkComparison(result.report, with: $0) }
    switch format {
    case .json: try Console.print(json: BenchOutput(report: result.report, comparison: comparison))
    case .text:
      let width = Console.width
      (result.report.table(width: width) + [""] + result.histogram(width: width)).forEach(Console.print)
      if let comparison { ([""] + comparison.lines).forEach(Console.print) }
    }
    if let comparison, comparison.isRegression {
      for change in comparison.counts where change.isRegression {
        Console.note("error: each tap: \(change.name) \(change.now), and \(change.before) in \(compare ?? "")")
      }
      throw Exit.notRight.code
    }
  }
}

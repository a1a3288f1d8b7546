import ArgumentParser
import EMVTerminal
import ISO7816
import LinkTiming
import PaymentAcceptance
import ProgramSupport
import TapLatency
import Transcripts
import USBSimulator

/// The options of the model of links.
struct BenchModelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Model the tap over links in place of measuring it: \(LinkChain.names.joined(separator: ", ")), or several of them \
      with commas between. Left out of a chain: a chip card, 106k, and a reader inside the terminal.
      """, valueName: "links"), completion: .list(LinkChain.names))
  var over: String?
  @Option(
    help: ArgumentHelp(
      """
      With --over: the tap of a recording, or of a file of "tap readers --evidence", in place of one of --card, with its \
      times beside the model.
      """,
      valueName: "file"), completion: .file())
  var recording: String?
  @Option(
    help: ArgumentHelp(
      """
      What the times of --recording are: exchange (from the command's hand-over until the response), or card (what a \
      sniffer has: from the command's end until the response begins). Exchange for a recording of a terminal, card for \
      one of a card, when left out.
      """, valueName: "times"))
  var times: RecordedTimes?
  @Option(help: "With --over: the largest frame of both sides, 16 to 256 bytes; that of card and reader when left out.")
  var frame: Int?

  func validate() throws {
    try require("--frame", frame, in: 16...256)
    guard let over else {
      return try require(
        recording == nil && times == nil && frame == nil, "--recording, --times and --frame need --over LINKS.")
    }
    try require(times == nil || recording != nil, "--times needs --recording FILE.")
    do { _ = try LinkChain(parsing: over) } catch { throw ValidationError("--over: \(error)") }
  }

  /// The links; nil without `--over`.
  func chain() throws -> LinkChain? {
    guard let over else { return nil }
    var chain = try LinkChain(parsing: over)
    chain.frame = frame
    return chain
  }
}

/// What the times of a recording are, as `--times` names it.
enum RecordedTimes: String, ExpressibleByArgument, CaseIterable {
  case exchange, card

  var measured: BudgetComparison.Measured { self == .card ? .card : .exchange }
}

/// A modelled tap, with a recording beside it.
struct ModelledTap: Encodable {
  let budget: TapBudget
  let comparison: BudgetComparison?

  private enum CodingKeys: String, CodingKey {
    case recording
  }

  func encode(to encoder: any Encoder) throws {
    try budget.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(comparison, forKey: .recording)
  }

  /// The budget, and the recording beside it.
  func lines(width: Int?) -> [String] {
    budget.lines(width: width) + (comparison.map { [""] + $0.lines(width: width) } ?? [])
  }

  /// Models the tap of a recording.
  init(_ recording: Transcript, times: RecordedTimes?, over chain: LinkChain) {
    let exchanges = recording.exchanges
    budget = TapBudget(of: exchanges.map { ModelledExchange($0.command, $0.response) }, over: chain)
    let measured = times?.measured ?? (recording.role == .card ? .card : .exchange)
    comparison = BudgetComparison(exchanges.map(\.nanoseconds), of: measured, beside: budget)
  }

  /// Models the payment of evidence about a reader. A command that was measured several times has the median of its times.
  ///
  /// - Throws: `InputError` for evidence without a payment, and `TranscriptError`.
  init(_ evidence: ReaderEvidence, in file: String, times given: RecordedTimes?, over chain: LinkChain) throws {
    guard !evidence.recording.isEmpty else {
      throw InputError(description: "\(file) has no payment: its step was skipped, or no card came", code: .transcript)
    }
    let exchanges = try Transcript(parsing: evidence.recording.joined(separator: "\n") + "\n").exchanges
    budget = TapBudget(of: exchanges.map { ModelledExchange($0.command, $0.response) }, over: chain)
    let times = exchanges.map { exchange -> Int64? in
      let median = evidence.medianTime(of: exchange.command, responseCount: exchange.response?.count ?? 0)
      return median.map { Int64($0) * 1_000 } ?? exchange.nanoseconds
    }
    comparison = BudgetComparison(times, of: given?.measured ?? .exchange, beside: budget)
  }

  /// Models a measured tap, whose times do not matter.
  init(_ tap: TimedTap, over chain: LinkChain) {
    budget = TapBudget(
      of: ModelledExchange.tap(tap.record.exchanges.map { ($0.command, $0.response, $0.phase.rawValue) }), over: chain)
    comparison = nil
  }
}

import ArgumentParser
import EMVData
import EMVTerminal
import PaymentAcceptance
import PaymentPrograms
import ProgramSupport
import TapReports
import Transcripts
import POSIX

/// Be the terminal: take a payment, show the outcome.
struct AcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Be the terminal: take a payment, show the outcome.",
    help: CommandHelp(
      examples: [
        "tap accept --reader pcsc:ACR122U --amount 12.34 --currency EUR":
          "Take a payment from the card or phone at a reader.",
        "tap accept --reader loopback:card.json --amount 12.34 --currency EUR":
          "Take a payment from a card in this process.",
        "tap accept --reader replay:tap.txt --amount 12.34 --currency EUR --report tap.html":
          "Take the payment of a recording again, and draw it.",
      ],
      exits: [
        .done: "approved",
        .notRight:
          """
        not approved: declined, torn, or any other outcome, such as an online request without an issuer or "see phone"
        """,
        .notReached: "no card, reader or issuer was reached",
        .error: "a file cannot be read or written",
      ],
      environment: [.reader],
      related: ["tap-present", "tap-replay", "tap-terminal"]))

  @OptionGroup var card: CardOptions
  // A negative amount is an invalid amount, and not a missing value.
  @Option(parsing: .unconditional, help: ArgumentHelp("The amount, such as 12.34.", valueName: "amount"))
  var amount: String
  @Option(
    help: ArgumentHelp(
      "The part of the amount that is paid out in cash, at a terminal whose profile offers it.", valueName: "amount"))
  var cashback: String?
  @Option(
    help: ArgumentHelp(
      "What the payment is for: purchase, cash, cashback or refund; a purchase when left out, with cashback if there is "
        + "one.", valueName: "type"))
  var type: PaymentKind?
  @Option(
    help: ArgumentHelp("The currency's ISO 4217 number or letters, such as 978 or EUR.", valueName: "code"),
    completion: .custom { words, _, _ in ShippedTerminal.currencies(after: words) })
  var currency: String
  @Option(
    help: ArgumentHelp("The terminal profile; a shop with all kernels when left out.", valueName: "file"),
    completion: FileCompletion.named(endingIn: ".json"))
  var terminal: String?
  @Option(
    help: ArgumentHelp(
      "Which host decides on online requests: test (the test issuer), none, or the issuer of a tap-server at "
        + "https://HOST:PORT.", valueName: "host"))
  var issuer = IssuerChoice.test
  @Option(
    help: ArgumentHelp(
      "The authorities in PEM that the certificate of the issuer's server is verified with; those of the system when "
        + "left out.", valueName: "file"), completion: .file())
  var issuerCa: String?
  @OptionGroup var issuerKeys: IssuerKeyOptions
  @Option(
    help: ArgumentHelp(
      "Remember approved payments in a file, for the floor limit of the profile's risk management, and refuse the cards "
        + "that \"tap terminal except\" put there. It holds keyed hashes, no account numbers. A replay reads it only.",
      valueName: "file"),
    completion: .file())
  var terminalLog: String?
  @Option(
    help: ArgumentHelp(
      "Write a page with the tap in time and each exchange in words. Account numbers of cards that are no test cards are "
        + "masked without --unredacted.", valueName: "file"), completion: .file(extensions: ["html"]))
  var report: String?
  @Flag(help: "Let the card of loopback:CARDFILE answer wrongly, as the fault plan of its profile says.")
  var faults = false
  @Option(
    help: ArgumentHelp(
      "How often the same payment is tried again after \"see phone\" and \"present card again\", 0 to 20, while "
        + "--timeout lasts. With a real reader; a replay does what was recorded.", valueName: "count"))
  var restarts = 0
  @OptionGroup var verbosity: Verbosity
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    try require("--restarts", restarts, in: 0...20)
    try require(!card.force || card.record != nil || report != nil, "--force needs --record FILE or --report FILE.")
    try require(
      issuerKeys.issuerKey == nil || issuer == .test,
      "--issuer-key needs --issuer test: another host has its own keys.")
    if issuerCa != nil {
      guard case .server = issuer else { throw ValidationError("--issuer-ca needs --issuer https://HOST:PORT.") }
    }
    try require(!faults || card.reader.kind.hasOwnCard, "--faults needs --reader loopback:CARDFILE.")
  }

  func run() async throws {
    try await Console.reportingErrors(as: format) {
      let page = ReportFile(path: report, isReplaced: card.force)
      try page?.check()
      let taken: TakenPayment
      do {
        taken = try await take()
      } catch {
        // The page of an earlier payment must not stay. Wrong usage has no page.
        if !(error is ValidationError) { try? page?.write { PaymentPage.html(of: error, run: $0) } }
        throw error
      }
      let (result, request) = (taken.result, taken.request)
      // The recording is written first: a closed output ends the program while it prints.
      let written = Result { try card.write(result.transcript(ofTerminal: taken.profile)) }
      let reported = Result { try write(result, request, to: page) }
      let remembered = Result { try taken.log.map { try $0.keep(result.get()) } }
      try show(result, request)
      try written.get()
      try reported.get()
      if case .failure(let error as InputError) = remembered { throw error }
      if result.exit != .done, taken.isIssuerUnreached { throw Exit.notReached.code }
      throw result.exit.code
    }
  }

  /// A payment that was taken.
  private struct TakenPayment {
    let result: PaymentResult
    let request: PaymentRequest
    /// The profile of the terminal.
    let profile: [UInt8]
    /// The log that keeps the payment; nil for none.
    let log: TerminalLogFile?
    let isIssuerUnreached: Bool
  }

  private func take() async throws -> TakenPayment {
    let place = try await card.reader.open(ReaderOptions(faults: faults ? format : nil, keys: issuerKeys.keys()))
    let recorded = place.recording?[.terminal].map { Array($0.utf8) }
    let profile = try terminal.map(NamedFile.text) ?? recorded ?? ShippedTerminal.everyCard
    let configuration = try CardFiles.naming(terminal ?? "the shipped terminal") {
      try TerminalConfiguration(json: profile)
    }
    let order = PaymentOrder(
      amount: amount, cashback: cashback, currency: currency, type: type?.type, moment: place.moment)
    let request = try request(order, configuration)
    try card.recordFile?.check()
    let host = issuer.host(at: place, authority: issuerCa)
    var acceptance = PaymentAcceptance(
      configuration: configuration, host: host,
      restarts: RestartLimits(count: restarts, duration: card.waitLimit))
    let log = terminalLog.map(TerminalLogFile.init(path:))
    acceptance.log = try log?.log()
    // The person with the card must see a message when it appears.
    if place.isAttended, !verbosity.quiet {
      acceptance.display = { request in Console.note("display: \"\(request.text)\"") }
    }
    let result = try await PaymentResult { [acceptance] in try await place.take(request, at: acceptance) }
    // A replayed payment was made before, and another terminal's log may already hold it.
    return TakenPayment(
      result: result, request: request, profile: profile, log: place.recording == nil ? log : nil,
      isIssuerUnreached: (host as? ServerIssuer)?.isUnreached == true)
  }

  /// An amount that the currency cannot have is wrong usage.
  private func request(_ order: PaymentOrder, _ configuration: TerminalConfiguration) throws -> PaymentRequest {
    do {
      return try order.request(at: configuration)
    } catch PaymentOrderError.clock(let error) {
      throw error
    } catch {
      guard case .currency(let text, _) = error, CurrencyCode.numericCode(of: text) != nil else {
        throw ValidationError("\(error).")
      }
      throw ValidationError(
        "\(error). \"tap terminal new --currency \(text) -o FILE\" writes a terminal that takes it, for --terminal FILE."
      )
    }
  }

  private func write(_ result: PaymentResult, _ request: PaymentRequest, to page: ReportFile?) throws {
    guard let page else { return }
    let disclosure = try Disclosure(showsAll: card.unredacted)
    let tap = ReportedTap(result.record, shown: disclosure.shown(result.record.transcript))
    var lines = TapText(verbosity: verbosity, disclosure: disclosure).summary(result, request)
    if case .failure(let failure) = result { lines.append("error: \(failure)") }
    lines = lines.map(disclosure.mask(of: result.record.transcript).masked)
    try page.write { PaymentPage(result, tap, lines: lines, run: $0).html }
  }

  private func show(_ result: PaymentResult, _ request: PaymentRequest) throws {
    let disclosure = try Disclosure(showsAll: card.unmasked)
    let mask = disclosure.mask(of: result.record.transcript)
    switch format {
    case .text:
      TapText(verbosity: verbosity, disclosure: disclosure).lines(result, request).map(mask.masked)
        .forEach(Console.print)
    case .json: try Console.print(json: JSONObject(result, request, disclosure), hiding: mask)
    }
    if case .failure(let failure) = result { Console.note(mask.masked("error: \(failure)")) }
    if result.exit != .done { card.noteStorageCard(in: result.record.transcript) }
  }
}

import ArgumentParser
import CardLinks
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Links
import Octets
import PaymentSimulation
import TapReplay
import Transcripts

/// Be the card: verify the user, arm, answer a terminal.
struct PresentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "present",
    abstract: "Be the card: verify the user, arm, answer a terminal.",
    discussion: """
      Exit codes: 0 all payments completed; 2 refused, by the user or the policy, so that the card was never presented, \
      or by a card that is not armed (--unarmed); 3 the link ended first, the terminal did not take the card, or no \
      terminal came in the time of --timeout; 1 any other error.
      """)

  @Option(
    name: .customLong("link"),
    help: ArgumentHelp(
      """
      Where the card is presented: vpcd:HOST:PORT (a waiting vpcd), nfc:CONNSTRING (a PN532 under libnfc), acr122:NAME \
      (the PN532 of a PC/SC reader), or loopback (a terminal in this process); \
      \(DefaultPlace.help(DefaultPlace.linkVariable)).
      """, valueName: "link"), completion: LinkName.defaultCompletionKind)
  var chosenLink: LinkName?
  @Option(
    help: ArgumentHelp(
      "How long to wait for a terminal and the end of each payment, in seconds: 1 to 3600.", valueName: "seconds"))
  var timeout = 60
  @Option(
    help: ArgumentHelp("The card profile, whose keys the test issuer provisions.", valueName: "file"),
    completion: .file(extensions: ["json", "txt"]))
  var card: String?
  @OptionGroup var issuer: IssuerKeyOptions
  @Option(help: ArgumentHelp("A wallet of tap wallet, instead of --card.", valueName: "dir"), completion: .directory)
  var wallet: String?
  @Option(help: ArgumentHelp("The wallet's card that pays; its default card when left out.", valueName: "name"))
  var digitalCard: String?
  @Option(help: ArgumentHelp("\(WalletDevice.help)", valueName: "device"), completion: .file())
  var device: String?
  @Option(
    help: """
      How the cardholder must be verified: when left out, as the wallet was set up, and biometricOnly for --card and for \
      a wallet that was not set up. Another policy than the wallet's is refused.
      """)
  var policy: CardholderVerificationPolicy?
  @Option(help: "What the simulated cardholder does.")
  var user = UserScript.approve
  @Flag(help: "Present the card, or the wallet's default card, without a verification: it can only refuse.")
  var unarmed = false
  @Option(help: "How many payments to answer, one after the other.")
  var count = 1
  @Option(
    help: ArgumentHelp("Record what the card sees, for tap replay; with one payment only.", valueName: "file"),
    completion: .file())
  var record: String?
  @Flag(help: "Write over a recording that exists.")
  var force = false
  @Flag(help: "Answer wrongly, as the fault plan of the card's profile says; faults are reported on standard error.")
  var faults = false
  @OptionGroup(title: "Session options")
  var session: SessionOptions
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  /// A virtual reader looks for its card every 400 ms: a card that comes back sooner seems never to have left.
  private static let pauseBetweenTaps = Duration.milliseconds(900)

  /// The link of the option, or that of the environment.
  private var link: LinkName {
    get throws { try DefaultPlace.needed(chosenLink, else: DefaultPlace.linkVariable, for: "--link") }
  }

  func validate() throws {
    _ = try link
    guard (1...3600).contains(timeout) else { throw ValidationError("--timeout \(timeout): the range is 1...3600.") }
    guard (card == nil) != (wallet == nil) else { throw ValidationError("Either --card or --wallet is needed.") }
    guard issuer.issuerKey == nil || (card != nil && !unarmed) else {
      throw ValidationError(
        "--issuer-key needs --card, and not --unarmed: tap wallet add and replenish give a wallet its keys.")
    }
    guard wallet != nil || digitalCard == nil else { throw ValidationError("--digital-card needs --wallet.") }
    guard wallet != nil || device == nil else { throw ValidationError("--device needs --wallet.") }
    if case .linux = storedWallet?.device, user != .approve {
      throw ValidationError("--user scripts the person at a simulated device: leave it out with --device linux.")
    }
    guard wallet == nil || record == nil else { throw ValidationError("--record needs --card.") }
    guard count >= 1 else { throw ValidationError("--count \(count): at least 1 is needed.") }
    guard !force || record != nil else { throw ValidationError("--force needs --record FILE.") }
    guard record == nil || count == 1 else { throw ValidationError("--record takes one payment: leave --count out.") }
    guard !faults || (card != nil && !unarmed && record == nil) else {
      throw ValidationError("--faults needs --card, and neither --unarmed nor --record.")
    }
    guard !unarmed || (!session.hold && session.retryLimit == nil && session.walletData == nil) else {
      throw ValidationError("--hold, --retry-limit and --wallet-data need an armed card: leave --unarmed out.")
    }
    guard record == nil || !unarmed else { throw ValidationError("--record needs an armed card.") }
  }

  func run() async throws {
    do {
      try recordFile?.check()
      let device = try await link.open()
      defer { device.close() }
      if unarmed {
        try await presentUnarmed(try await shownCard(), device)
      } else {
        let side = CardPresentation(
          wallet: try await provision(), digitalCard: digitalCard, terms: try terms())
        for number in 1...count {
          if number > 1 { try await Task.sleep(for: Self.pauseBetweenTaps) }
          try await pay(number, side, device)
        }
      }
    } catch let code as ExitCode {
      throw code
    } catch WalletError.authenticationKeyInvalidated(let reason, let failure) {
      try fail(.authenticationKeyInvalidated(reason, wipeFailure: failure.map(WalletError.store)))
    } catch WalletError.storeRolledBack(let count, let deviceCount) {
      try fail(.storeRolledBack(count: count, deviceCount: deviceCount))
    } catch let error as LinkError {
      if format == .json { try Console.print(json: ErrorReport(error)) }
      throw Console.fail(error, ContactlessPaymentSession.Error.transmissionError(error).exitCode)
    } catch {
      if format == .json { try Console.print(json: ErrorReport(error)) }
      throw Console.fail("\(error)")
    }
  }

  /// Prints the error of a wallet that is refused before its session starts, as the session would report it.
  private func fail(_ error: ContactlessPaymentSession.Error) throws -> Never {
    try PaymentLine(1, .errorEncountered(error, spent: []))?.print(as: format)
    throw error.exitCode
  }

  private var recordFile: OutputFile? { record.map { OutputFile(path: $0, isReplaced: force) } }

  /// The terms of the sessions. A card stays on its link until an answer was sent that its faults delay.
  private func terms() throws -> SessionTerms {
    var terms = try session.terms()
    terms.limits.emulation = .seconds(timeout)
    // A verification lasts as long as a terminal is waited for.
    terms.limits.verificationValidity = max(terms.limits.verificationValidity, .seconds(timeout))
    if faults, let card { terms.limits.linger += try Files.faultPlan(card).longestDelay }
    return terms
  }

  private var storedWallet: StoredWallet? {
    wallet.map { StoredWallet(directory: $0, deviceName: device) }
  }

  private func provision() async throws -> Wallet {
    if let storedWallet {
      return try await storedWallet.open(storedWallet.lockedStore(), policy: policy, user: user.user)
    }
    // Checked before the cardholder is asked to verify.
    if faults { _ = try Files.faultPlan(card ?? "") }
    return try await ProvisionedWallet(
      card: Files.card(card ?? "", faults: faults), policy: policy ?? .biometricOnly, user: user.user,
      leastUses: count, keys: issuer.keys() ?? .publicTest
    ).wallet
  }

  private func pay(_ number: Int, _ side: CardPresentation, _ device: LinkDevice) async throws {
    let recorder = record.map { _ in SessionRecording() }
    let event = try await side.pay(on: { try makeLink(recorder, device) }, observer: { tell($0) })
    // The recording is written first: a closed output ends the program while it prints.
    let written = Result {
      if let recorder, let recordFile, let card {
        let transcript = try recorder.transcript(card: Files.profile(card), event: event)
        try recordFile.write(Disclosure(showsAll: false).shown(transcript).text.utf8)
      }
    }
    try PaymentLine(number, event)?.print(as: format)
    try written.get()
    if case .errorEncountered(let error, _) = event { throw error.exitCode }
  }

  private func makeLink(_ recorder: SessionRecording?, _ device: LinkDevice) throws -> any EmulationLink {
    let note =
      "\(unarmed ? "Not verified: the card can only refuse. " : "")Waiting for a terminal, \(timeout) s at most ..."
    let bare = try device.link { Console.note(note) }
    if faults, let card {
      let format = format
      return FaultyLink(bare, plan: try Files.faultPlan(card)) { Console.note($0, as: format) }
    }
    guard let recorder else { return bare }
    return recorder.recording(bare)
  }

  /// The card that is shown unarmed: the card of the profile, or the wallet's default card; nil for an empty wallet.
  private func shownCard() async throws -> DigitalCard? {
    if let card {
      let image = try Files.card(card)
      return DigitalCard(id: image.name, image: image, state: .active, isDefault: true)
    }
    return try await storedWallet?.card(digitalCard)
  }

  private func presentUnarmed(_ shown: DigitalCard?, _ device: LinkDevice) async throws {
    for number in 1...count {
      let bare = try makeLink(nil, device)
      // The limit of an armed card: without a terminal nothing else ends the wait.
      let limit = Task {
        try await Task.sleep(for: .seconds(timeout))
        bare.stop()
      }
      defer { limit.cancel() }
      let refusals = try await DedicatedThread(named: "card") { () throws(LinkError) -> Int in
        var card = RefusingCard(shown, link: bare)
        try bare.serve(&card)
        return card.refusals
      }.value()
      guard refusals > 0 else { throw Console.fail("the link ended before a terminal was refused", .linkEnded) }
      try PaymentLine(number, event: "refused", message: "the card is not armed").print(as: format)
    }
    throw ExitCode.refused
  }

  private func tell(_ event: ContactlessPaymentSession.Event) {
    switch event {
    case .authenticationRequired: Console.note("Verifying the cardholder ...")
    case .authenticationCompleted: Console.note("Verified.")
    case .posConnected: Console.note("A terminal is there.")
    case .posDisconnected(let count):
      Console.note("The terminal left in the middle\(count > 1 ? " (\(count) times)" : ""): tap again.")
    case .transactionCompleted, .errorEncountered: break
    }
  }
}

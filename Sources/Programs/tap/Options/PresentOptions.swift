import ArgumentParser
import DeviceAuthentication
import ProgramSupport
import POSIX

/// The options of `tap present`.
struct PresentOptions: ParsableArguments {
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
    completion: FileCompletion.card)
  var card: String?
  @OptionGroup(title: "A recording as the card") var recorded: RecordedCardOptions
  @OptionGroup(title: "A program as the card") var responder: ResponderOptions
  @OptionGroup var issuer: IssuerKeyOptions
  @Option(help: ArgumentHelp("A wallet of tap wallet, instead of --card.", valueName: "dir"), completion: .directory)
  var wallet: String?
  @Option(help: ArgumentHelp("The wallet's card that pays; its default card when left out.", valueName: "name"))
  var digitalCard: String?
  @Option(help: ArgumentHelp("\(DeviceChoice.help)", valueName: "device"), completion: .file())
  var device: String?
  @OptionGroup var integrity: IntegrityOptions
  @Option(
    help: """
      How the cardholder must be verified: when left out, as the wallet was set up, and biometricOnly for --card. Another \
      policy than the wallet's is refused.
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
  @OptionGroup var verbosity: Verbosity
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  /// The link of the option, or that of the environment.
  var link: LinkName {
    get throws { try DefaultPlace.needed(chosenLink, else: DefaultPlace.linkVariable, for: "--link") }
  }

  func validate() throws {
    let link = try link
    try require("--timeout", timeout, in: 1...3600)
    guard [card, wallet, recorded.recording, responder.responder].count(where: { $0 != nil }) == 1 else {
      throw ValidationError("Either --card, --wallet, --recording or --responder is needed.")
    }
    try require(
      recorded.recording == nil || hasNoCardholder,
      "--recording has no cardholder and no keys: leave --unarmed, --policy and --user out.")
    try require(
      responder.responder == nil || hasNoCardholder,
      "--responder has no cardholder and no keys: leave --unarmed, --policy and --user out.")
    try require(
      responder.responder == nil || responder.laboratory || !link.isInTheAir,
      "--responder at \(link.prefix): needs --laboratory, which lets each response wait 500 ms more.")
    try require(
      issuer.issuerKey == nil || (card != nil && !unarmed),
      "--issuer-key needs --card, and not --unarmed: tap wallet add and replenish give a wallet its keys.")
    guard wallet != nil || digitalCard == nil else { throw ValidationError("--digital-card needs --wallet.") }
    guard wallet != nil || device == nil else { throw ValidationError("--device needs --wallet.") }
    if case .linux = storedWallet?.device, user != .approve {
      throw ValidationError("--user scripts the person at a simulated device: leave it out with --device linux.")
    }
    if let option = integrity.named {
      guard case .linux = storedWallet?.device else {
        throw ValidationError("\(option) needs --device linux: a simulated device protects nothing.")
      }
    }
    try require(card != nil || responder.responder != nil || record == nil, "--record needs --card or --responder.")
    try require(count >= 1, "--count \(count): at least 1 is needed.")
    try require(!force || record != nil, "--force needs --record FILE.")
    try require(record == nil || count == 1, "--record takes one payment: leave --count out.")
    try require(
      !faults || (card != nil && !unarmed && record == nil),
      "--faults needs --card, and neither --unarmed nor --record.")
    try require(
      !unarmed || !session.isChanged,
      "--hold, --retry-limit and --wallet-data need an armed card: leave --unarmed out.")
    try require(record == nil || !unarmed, "--record needs an armed card.")
  }

  private var hasNoCardholder: Bool { !unarmed && policy == nil && user == .approve && !session.isChanged }

  /// The wallet of --wallet, or nil.
  var storedWallet: StoredWallet? {
    wallet.map { StoredWallet(directory: $0, deviceName: device, integrity: integrity.checks) }
  }

  /// The file of the recording, or nil.
  var recordFile: OutputFile? { record.map { OutputFile(path: $0, isReplaced: force) } }
}

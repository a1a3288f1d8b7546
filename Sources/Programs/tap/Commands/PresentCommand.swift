import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Links
import Octets
import PaymentPrograms
import PaymentSimulation
import ProgramSupport
import ReaderKinds
import Synchronization
import Transcripts
import POSIX

/// Be the card: verify the user, arm, answer a terminal.
struct PresentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "present",
    abstract: "Be the card: verify the user, arm, answer a terminal.",
    help: CommandHelp(
      """
      A verification is valid for 60 s: with a longer --timeout the user is verified again, until a terminal has got a \
      cryptogram.
      """,
      examples: [
        "tap present --link loopback --card card.json": "Pay at the shipped terminal, in this process.",
        "tap present --link vpcd:localhost:35963 --wallet purse --count 3":
          "Be the card of a wallet at a virtual reader, for three payments.",
        "tap present --link vpcd:localhost:35963 --responder 'python3 card.py'":
          "Let a program answer as the card at a virtual reader.",
      ],
      exits: [
        .done: "all payments completed",
        .notRight:
          """
        refused, by the user or the policy, so that the card was never presented, or by a card that is not armed \
        (--unarmed), a command that is not in the recording (--recording), a program that does not answer as a card \
        (--responder), or a payment that was declined or torn
        """,
        .notReached: "the link was not reached, or no terminal came in the time of --timeout",
        .error:
          "a file or the wallet cannot be opened, read or written",
      ],
      environment: [.link],
      related: ["tap-accept", "tap_wallet", "tap-replay"]))

  @OptionGroup var options: PresentOptions

  /// A virtual reader looks for its card every 400 ms: a card that comes back sooner seems never to have left.
  static let pauseBetweenTaps = Duration.milliseconds(900)

  func run() async throws {
    do {
      _ = try SystemWallClock().checkedNow()
      try options.recordFile?.check()
      let recording = try options.recorded.transcript()
      let device = try await options.link.open()
      defer { device.close() }
      if let recording {
        try await presentRecording(recording, device)
      } else if let command = try options.responder.words {
        try await presentResponder(command, device)
      } else if options.unarmed {
        try await presentUnarmed(try await shownCard(), device)
      } else {
        let random = RecordingRandomSource(SystemRandomSource())
        let side = CardPresentation(
          wallet: try await provision(random), digitalCard: options.digitalCard, terms: try options.session.terms())
        for number in 1...options.count {
          if number > 1 { try await Task.sleep(for: Self.pauseBetweenTaps) }
          try await pay(number, side, device, random)
        }
      }
    } catch let code as ExitCode {
      throw code
    } catch WalletError.authenticationKeyInvalidated(let reason, let failure) {
      try fail(.authenticationKeyInvalidated(reason, wipeFailure: failure.map(WalletError.store)))
    } catch WalletError.storeRolledBack(let count, let deviceCount) {
      try fail(.storeRolledBack(count: count, deviceCount: deviceCount))
    } catch {
      throw Console.fail(error, as: options.format)
    }
  }

  /// Prints the error of a wallet that is refused before its session starts, as the session would report it.
  private func fail(_ error: ContactlessPaymentSession.Error) throws -> Never {
    try PaymentLine(1, .errorEncountered(error, spent: []))?.print(as: options.format)
    throw error.exit.code
  }

  private func provision(_ random: RecordingRandomSource) async throws -> Wallet {
    if let wallet = options.storedWallet {
      wallet.watchIntegrity(as: options.format)
      let open = try await wallet.open(wallet.lockedStore(), user: options.user.user)
      // Refused unless it is the policy of the wallet.
      if let policy = options.policy { try await open.configure(policy) }
      return open
    }
    // Checked before the cardholder is asked to verify.
    if options.faults { _ = try CardFiles.faultPlan(options.card ?? "") }
    return try await ProvisionedWallet(
      card: CardFiles.card(options.card ?? "", faults: options.faults), policy: options.policy ?? .biometricOnly,
      user: options.user.user, leastUses: options.count, keys: options.issuer.keys() ?? .publicTest,
      random: random
    ).wallet
  }

  private func pay(
    _ number: Int, _ side: CardPresentation, _ device: LinkDevice, _ random: RecordingRandomSource
  ) async throws {
    let recorder = options.record != nil || options.verbosity.verbose ? SessionRecording(random: random) : nil
    let hasBegun = Mutex(false)
    let event = try await side.pay(
      waiting: .seconds(options.timeout), on: { try makeLink(recorder, device, waiting: $0) },
      observer: { event in
        if case .posConnected = event { hasBegun.withLock { $0 = true } }
        tell(event)
      })
    // The recording is written first: a closed output ends the program while it prints.
    let written = Result {
      if let recorder, let file = options.recordFile, let card = options.card {
        let transcript = try recorder.transcript(card: CardFiles.profile(card), event: event)
        try file.writeAndReport(Disclosure(showsAll: false).shown(transcript).text.utf8)
      }
    }
    if let recorder { try show(recorder.exchanges) }
    try PaymentLine(number, event)?.print(as: options.format)
    try written.get()
    guard case .errorEncountered(let error, _) = event else { return }
    throw (hasBegun.withLock(\.self) ? error.exit.ofBegunPayment : error.exit).code
  }

  /// Prints the exchanges in words, with `--verbose`.
  func show(_ exchanges: Transcript) throws {
    guard options.verbosity.verbose, options.format == .text else { return }
    try TranscriptText(Disclosure(showsAll: false)).lines(exchanges).forEach(Console.print)
  }

  func makeLink(
    _ recorder: SessionRecording?, _ device: LinkDevice, waiting: Duration
  ) throws -> any EmulationLink {
    let refusal = options.unarmed ? "Not verified: the card can only refuse. " : ""
    // The seconds that have begun.
    let seconds = waiting.components.seconds + (waiting.components.attoseconds > 0 ? 1 : 0)
    let note = "\(refusal)Waiting for a terminal, \(seconds) s at most ..."
    let bare = try device.link { Console.note(note) }
    let link: any EmulationLink = if let recorder { recorder.recording(bare) } else { bare }
    guard options.faults, let card = options.card else { return link }
    let format = options.format
    return FaultyLink(link, plan: try CardFiles.faultPlan(card)) { Console.note($0, as: format) }
  }

  /// The link of a card that is never armed. With `--verbose` its exchanges are kept.
  private func makeLink(_ seen: Recording, _ device: LinkDevice) throws -> any EmulationLink {
    let link = try makeLink(SessionRecording?.none, device, waiting: .seconds(options.timeout))
    return options.verbosity.verbose ? RecordingLink(link, recording: seen) : link
  }

  /// The card that is shown unarmed: the card of the profile, or the wallet's default card; nil for an empty wallet.
  private func shownCard() async throws -> DigitalCard? {
    if let card = options.card {
      return DigitalCard(shown: try CardFiles.card(card))
    }
    return try await options.storedWallet?.card(options.digitalCard)
  }

  private func presentUnarmed(_ shown: DigitalCard?, _ device: LinkDevice) async throws {
    for number in 1...options.count {
      let seen = Recording(role: .card)
      let link = try makeLink(seen, device)
      // The limit of an armed card: without a terminal nothing else ends the wait.
      let refusals = try await RefusingCard.present(shown, on: link).value(
        stopping: link, after: .seconds(options.timeout))
      guard refusals > 0 else {
        throw Console.fail(
          InputError(description: "the link ended before a terminal was refused", exit: .notReached))
      }
      try show(seen.transcript)
      try PaymentLine(number, event: "refused", message: "the card is not armed").print(as: options.format)
    }
    throw Exit.notRight.code
  }

  private func tell(_ event: ContactlessPaymentSession.Event) {
    guard !options.verbosity.quiet else { return }
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

extension PresentCommand {
  /// Presents the responses of a recording, tap by tap. Prints how many commands were recorded.
  func presentRecording(_ transcript: Transcript, _ device: LinkDevice) async throws {
    Console.note("The responses of a recording: it has no keys and is never armed.")
    var isKnown = true
    for number in 1...options.count {
      let seen = Recording(role: .card)
      let link = try makeLink(seen, device)
      let recorded = options.recorded
      let thread = DedicatedThread(named: "card") { () throws(LinkError) -> PresentedRecording in
        var card = RecordedCard(
          transcript, matching: recorded.match ?? .longest, unknownStatus: recorded.unknownStatus, link: link)
        try link.serve(&card)
        return PresentedRecording(card)
      }
      // Without a terminal nothing else ends the wait.
      let served = try await thread.value(stopping: link, after: .seconds(options.timeout))
      guard served.count > 0 else {
        throw Console.fail(InputError(description: "the link ended before a command came", exit: .notReached))
      }
      try show(seen.transcript)
      try PaymentLine(number, event: "recordingPresented", message: served.text).print(as: options.format)
      isKnown = isKnown && served.isKnown
    }
    if !isKnown { throw Exit.notRight.code }
  }
}

/// What a terminal got from a recording.
private struct PresentedRecording: Sendable {
  let answeredCount: Int
  let unknownHeaders: [String]
  let difference: String?

  init(_ card: borrowing RecordedCard) {
    answeredCount = card.answeredCount
    unknownHeaders = card.unknownHeaders
    difference = card.difference.map { "\($0)" }
  }

  var count: Int { answeredCount + unknownHeaders.count }
  var isKnown: Bool { unknownHeaders.isEmpty }

  var text: String {
    let answered = "\(answeredCount.counted("command")) answered from the recording"
    if let difference { return "\(answered), then \(difference)" }
    return isKnown ? answered : "\(answered), not in it: \(unknownHeaders.joined(separator: ", "))"
  }
}

internal import CardFaults
internal import ContactlessPayment
internal import EMVCard
public import EMVIssuer
internal import EMVTerminal
internal import ISO7816
public import Links
internal import PaymentSimulation
internal import Transcripts

/// The taps of one scenario with a terminal at a link: a shop's terminal at a reader that emulates a card.
public struct PresentedTrial: Sendable {
  /// Puts a card at the terminal: returns the link for one presentation.
  public typealias Presenter = @Sendable () throws -> any EmulationLink

  /// Waits while the card is away from the terminal; returns earlier when the tap is skipped.
  public typealias Pause = @Sendable (Duration) async throws -> Void

  /// How long a terminal may begin a second payment.
  private static let secondTapWaiting = Duration.seconds(5)

  /// The uses for taps that a person makes again.
  private static let repetitions = 20

  private let file: ScenarioFile
  private let test: TerminalTest
  private let card: TestCard
  private let wallet: Wallet
  private let configuration: TerminalConfiguration
  private let amounts: [String]
  private let configured: [Tag: [[UInt8]]]
  private let present: Presenter
  private var waiting: Duration
  private let pause: Pause

  /// Provisions the card in a wallet in memory.
  ///
  /// - Parameters:
  ///   - file: The scenario.
  ///   - taps: The number of taps.
  ///   - keys: The keys of the issuer.
  ///   - capabilities: Those of the terminal; nil when they are not known.
  ///   - waiting: How long a terminal is waited for in each presentation.
  ///   - losesPartOfResponse: Whether the card can leave in the middle of a response.
  ///   - pause: Waits while the card is away.
  ///   - present: Returns a link for one presentation.
  /// - Throws: `ScenarioNotApplicable` for an amount that the terminal cannot have, `ScenarioFileError` for a scenario
  ///   that judges a card, and the wallet's error.
  public init(
    _ file: ScenarioFile, taps: Int, keys: IssuerKeys = .publicTest, capabilities: TestedCapabilities? = nil,
    waiting: Duration, losesPartOfResponse: Bool = false,
    pause: @escaping Pause = { try await Task.sleep(for: $0) }, present: @escaping Presenter
  ) async throws {
    guard let test = file.scenario.terminalTest, let card = file.testCard else {
      throw ScenarioFileError("\(file.path): the scenario judges a card: use --reader")
    }
    (self.file, self.test, self.card) = (file, test, card)
    if test.card.leavesAfterOctets != nil, !losesPartOfResponse {
      throw ScenarioNotApplicable(description: "the link cannot lose a card within a response: use loopback or vpcd")
    }
    (self.present, self.pause, self.waiting) = (present, pause, waiting)
    // Only the currency is taken from it: the profile of the terminal at the link is unknown.
    configuration = file.terminal.configuration
    amounts = try file.amounts(at: capabilities)
    configured = try file.configuredValues(at: capabilities)
    wallet = try await ProvisionedWallet(
      card: card.image, policy: test.card.policy, leastUses: 3 * taps + Self.repetitions, keys: keys
    )
    .wallet
  }

  /// The amount of a tap, whose number counts from 1, in the main unit of the currency.
  public func amount(ofTap number: Int) -> String { amounts[(number - 1) % amounts.count] }

  /// Presents the card for a tap, again when it left and comes back, and returns what the terminal sent.
  ///
  /// - Parameter number: The number of the tap, from 1.
  /// - Throws: `LinkError` when no terminal came, and the wallet's error.
  public func tap(_ number: Int) async throws -> TerminalTap {
    let request = try file.request(at: configuration, moment: nil, amount: amount(ofTap: number))
    let recording = Recording(role: .card)
    let changes = AppliedChanges()
    try await presentOnce(plan: test.card.wirePlan(), recording, changes)
    if test.card.leavesAfter != nil, test.card.comesBack {
      var returning = test.card
      returning.leavesAfter = nil
      try await pause(.milliseconds(test.card.comesBackAfter ?? 0))
      try await presentOnce(plan: returning.wirePlan(), recording, changes)
    }
    try await tapAgain(recording, changes)
    var tap = TerminalTap(recording, entered: request.entered(inOtherZones: true).merging(configured) { $1 })
    tap.missingChanges = changes.missing(of: test.card)
    return tap
  }

  // A terminal that is right sends nothing to a card that comes after the payment.
  private func tapAgain(_ recording: Recording, _ changes: AppliedChanges) async throws {
    guard let absence = test.card.tapsAgainAfter else { return }
    try await pause(.milliseconds(absence))
    var again = self
    again.waiting = min(waiting, Self.secondTapWaiting)
    try await again.presentOnce(plan: test.card.wirePlan(), recording, changes)
  }

  private func presentOnce(plan: CardFaultPlan, _ recording: Recording, _ changes: AppliedChanges) async throws {
    let (bare, card) = (present, test.card)
    let link: @Sendable () throws -> any EmulationLink = {
      let base = try bare()
      let faulty = FaultyLink(
        RecordingLink(base, recording: recording), plan: plan, octetsBeforeRemoval: card.leavesAfterOctets
      ) { fault in
        if fault.fault == .linkLost, card.leavesAfterOctets != nil {
          (base as? any PartialResponseLink)?.cutNextResponse()
        }
        changes.note(fault)
      }
      return card.isExpired ? ExpiredLink(faulty) : faulty
    }
    guard card.isVerified else { return try await refuse(on: link(), recording) }
    let event =
      if card.isExpired {
        // Without a further verification.
        try await CardPresentation(wallet: wallet, terms: SessionTerms(limits: expiringLimits)).pay(on: link)
      } else {
        try await CardPresentation(wallet: wallet).pay(waiting: waiting, on: { _ in try link() })
      }
    // A terminal that refused or tore the payment is judged by its commands; without any there was no terminal.
    if case .errorEncountered(let error, _) = event, recording.transcript.exchanges.isEmpty { throw error }
  }

  private var expiringLimits: SessionLimits {
    var limits = SessionLimits.expiring
    limits.emulation = waiting + ExpiredLink.delay
    return limits
  }

  private func refuse(on link: any EmulationLink, _ recording: Recording) async throws {
    do {
      let presented = RefusingCard.present(DigitalCard(shown: card.image), on: link)
      _ = try await presented.value(stopping: link, after: waiting)
    } catch {
      // A terminal that tore the payment, or a card that left on purpose, is judged by its commands.
      guard !recording.transcript.exchanges.isEmpty else { throw error }
    }
    guard !recording.transcript.exchanges.isEmpty else {
      throw LinkError(.timedOut, "no terminal sent a command within \(waiting)")
    }
  }
}

internal import CardFaults
internal import ContactlessPayment
internal import EMVCard
public import EMVIssuer
internal import ISO7816
internal import Links
public import Octets
internal import PaymentSimulation
internal import Synchronization

/// A card of this process that scenarios judge: this project's card behind an answering function.
public protocol TestedCard: Sendable {
  /// The source of the card's random numbers.
  var random: any RandomSource { get }
  /// Answers a command.
  ///
  /// - Parameters:
  ///   - clock: The clock, which a slow card advances.
  ///   - card: The card of this project.
  func answer(_ command: [UInt8], clock: ManualClock, by card: ([UInt8]) -> [UInt8]) -> [UInt8]
  /// Reports that the field was switched on.
  func powered()
}

/// The card of this project.
public struct OwnCard: TestedCard {
  /// Creates the card.
  public init() {}

  /// The system's random numbers.
  public var random: any RandomSource { SystemRandomSource() }

  /// Returns the card's answer.
  public func answer(_ command: [UInt8], clock: ManualClock, by card: ([UInt8]) -> [UInt8]) -> [UInt8] { card(command) }

  /// Does nothing.
  public func powered() {}
}

/// The taps of one scenario with a card of this process, on a clock that waits advance.
public struct CardTrial: Sendable {
  private let visit: CardVisit
  private let tested: any TestedCard
  private let image: CardImage
  private let isVerified: Bool
  private let wallet: Wallet
  private let clock = ManualClock()

  /// Provisions the card in a wallet in memory.
  ///
  /// - Parameters:
  ///   - file: The scenario.
  ///   - profile: The profile of the card as JSON; nil for the one that the scenario names.
  ///   - tested: The card that is judged.
  ///   - taps: The number of taps.
  ///   - keys: The keys of the issuer.
  /// - Throws: `ScenarioFileError` for a scenario without steps or card, `CardProfileError`, and the wallet's error.
  public init(
    _ file: ScenarioFile, profile: [UInt8]? = nil, of tested: any TestedCard = OwnCard(), taps: Int,
    keys: IssuerKeys = .publicTest
  ) async throws {
    guard let test = file.scenario.cardTest else {
      throw ScenarioFileError("\(file.path): the scenario has no steps")
    }
    let profile = if let profile { profile } else { try ScenarioFile.content(of: file.card()) }
    (image, self.tested, isVerified) = (
      try CardFaultPlan.checkedImage(json: profile), tested, file.scenario.card.isVerified
    )
    let clock = clock
    visit = CardVisit(test, clock: clock) { clock.advance(by: $0) }
    wallet = try await ProvisionedWallet(
      card: image, leastUses: 2 * taps, keys: keys, clock: clock, random: tested.random
    ).wallet
  }

  /// Makes a tap.
  ///
  /// - Throws: The session's error when the card could not be presented, and `LinkError` when it left.
  public func tap() async throws -> CardTap {
    let link = CardTestLink(visit, tested, clock)
    if isVerified {
      _ = try await CardPresentation(wallet: wallet).pay(on: { link })
    } else {
      _ = try await RefusingCard.present(DigitalCard(shown: image), on: link).value()
    }
    var tap = try link.result.get()
    tap.linkShare = VirtualTime.exchange
    return tap
  }
}

/// A link whose other end makes the steps of a scenario, on the thread that serves the card.
private final class CardTestLink: EmulationLink {
  private let visit: CardVisit
  private let tested: any TestedCard
  private let clock: ManualClock
  private let outcome = Mutex<Result<CardTap, LinkError>>(
    .failure(LinkError(.stopped, "the session ended before the card was in the field")))

  init(_ visit: CardVisit, _ tested: any TestedCard, _ clock: ManualClock) {
    (self.visit, self.tested, self.clock) = (visit, tested, clock)
  }

  var result: Result<CardTap, LinkError> { outcome.withLock(\.self) }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var field = VirtualField(
      TestedResponder(base: consume responder, tested: tested, clock: clock), clock: clock,
      presence: CardPresence(comesBack: true))
    let result = Result { () throws(LinkError) in try visit.tap(at: &field, timeout: .seconds(1)) }
    guard let card = field.end() else { preconditionFailure("a field returns its card after each visit") }
    responder = card.release()
    outcome.withLock { $0 = result }
  }

  // The card stays until the last step, also when its payment is complete.
  func stop() {}
}

/// A card whose answers a card under test gives.
private struct TestedResponder<Base: CommandResponder & ~Copyable>: CommandResponder, ~Copyable {
  var base: Base
  let tested: any TestedCard
  let clock: ManualClock

  consuming func release() -> Base { base }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    let answer = tested.answer(command.array, clock: clock) { command in
      var room = [UInt8](repeating: 0, count: shortResponseCapacity)
      let count = room.withMutableOctets { base.respond(to: command.span, at: instant, into: &$0) }
      return Array(room[..<count])
    }
    response.copy(answer.span, to: 0)
    return answer.count
  }

  mutating func responseSent() { base.responseSent() }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    if event == .powered { tested.powered() }
    base.fieldChanged(event, at: instant)
  }
}

internal import ContactlessPayment
public import EMVCard
public import EMVIssuer
public import EMVTerminal
public import Links
internal import Octets
public import PaymentAcceptance

/// Payments with card and terminal in this process.
public struct LoopbackPayment: Sendable {
  /// Gives a card its faults: wraps the link on which it is presented.
  public typealias Faults = @Sendable (any EmulationLink) -> FaultyLink

  /// The card.
  public let image: CardImage
  /// Runs the steps of a payment on one thread. A caller that prefers it too takes payments without a change of threads.
  let executor = ThreadExecutor(named: "payment")
  private let side: CardPresentation

  /// Provisions a card in a wallet in memory.
  ///
  /// - Parameters:
  ///   - leastUses: The least number of payments for which the card has keys.
  ///   - keys: The keys of the issuer, from which the card's are derived.
  public init(image: CardImage, leastUses: Int = 1, keys: IssuerKeys = .publicTest) async throws {
    self.image = image
    let provisioned = try await ProvisionedWallet(
      card: image, leastUses: leastUses, keys: keys, taskExecutor: executor)
    side = CardPresentation(wallet: provisioned.wallet)
  }

  /// Verifies the cardholder, presents the card, takes the payment and ends the session.
  ///
  /// A card without faults answers on the terminal's thread, the same one for all payments. A card with faults has a
  /// thread of its own, since it can answer late, and so has one that is presented again with its issuer's response.
  ///
  /// - Parameter faults: What the card does wrong; nil for a card without faults.
  /// - Returns: The result, and the time that verification and arming took.
  /// - Throws: The session's error when the card was not armed, and the link's when the terminal saw no card.
  public func run(
    _ request: PaymentRequest, at terminal: PaymentAcceptance, faults: Faults? = nil
  ) async throws -> (result: PaymentResult, arming: Duration) {
    if let faults {
      let loopback = Loopback()
      return try await run(request, at: terminal, over: loopback, faults(loopback))
    }
    if image.applications.contains(where: \.startsAgain) {
      let loopback = Loopback()
      return try await run(request, at: terminal, over: loopback, loopback, isPresentedAgain: true)
    }
    let tap = DirectVisit(DirectPayment(request: request, terminal: terminal))
    return try await present(on: tap) {
      guard let result = await tap.ended?.result else {
        throw LinkError(.stopped, "the session ended before the terminal saw the card")
      }
      return result
    }
  }

  /// Takes a payment from a card on a thread of its own.
  ///
  /// - Parameters:
  ///   - loopback: The terminal's side.
  ///   - link: The card's side.
  ///   - isPresentedAgain: Whether the card comes back when the terminal asks for it.
  private func run(
    _ request: PaymentRequest, at terminal: PaymentAcceptance, over loopback: Loopback, _ link: some EmulationLink,
    isPresentedAgain: Bool = false
  ) async throws -> (result: PaymentResult, arming: Duration) {
    try await present(on: link) {
      try await DedicatedThread(named: "terminal") { () throws(LinkError) -> PaymentResult in
        if isPresentedAgain {
          var field = PoweredField { timeout throws(LinkError) in try loopback.connect(timeout: timeout) }
          return terminal.result(of: request, at: &field)
        }
        var channel = try loopback.connect(timeout: .seconds(5))
        defer { channel.close() }
        return terminal.result(of: request, over: &channel)
      }.value()
    }
  }

  /// Runs the terminal's work on an armed card. Measures the time until the card is armed.
  private func present(
    on link: some EmulationLink, _ work: () async throws -> PaymentResult
  ) async throws -> (result: PaymentResult, arming: Duration) {
    let clock = SystemClock()
    let begun = clock.now
    return try await side.present(on: link) {
      let arming = clock.now - begun
      return (try await work(), arming)
    }
  }

  /// What the issuer has done to the card in its payments so far; nil for a card that is not in the wallet any more.
  ///
  /// - Throws: `WalletError` when the wallet cannot be read.
  public func cardCondition() async throws -> CardCondition? {
    guard let state = try await side.wallet.cards().first?.cardState else { return nil }
    return state.isBlocked ? .cardBlocked : state.isBlockedByIssuer ? .applicationBlocked : .active
  }

  /// Presents the card without a verification, so that it can only refuse, and takes the payment.
  ///
  /// - Throws: `LinkError` when the terminal saw no card.
  public func refusal(of request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentResult {
    let loopback = Loopback()
    let card = RefusingCard.present(DigitalCard(shown: image), on: loopback)
    let tap = DedicatedThread(named: "terminal") { () throws(LinkError) -> PaymentResult in
      defer { loopback.stop() }
      var channel = try loopback.connect(timeout: .seconds(5))
      defer { channel.close() }
      return terminal.result(of: request, over: &channel)
    }
    let result = try await tap.value()
    _ = try await card.value()
    return result
  }
}

/// Takes one payment from a card.
private struct DirectPayment: CardVisitor, Sendable {
  let request: PaymentRequest
  let terminal: PaymentAcceptance
  var result: PaymentResult?

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    result = terminal.result(of: request, over: &channel)
  }
}

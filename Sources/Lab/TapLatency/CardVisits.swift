internal import ContactlessPayment
internal import EMVCard
internal import Links
internal import PaymentSimulation

/// Visits of a terminal to a card of this process. Each visit has a session of its own, with an armed card.
struct CardVisits: Sendable {
  private let meeting: TapConnection
  private let side: CardPresentation
  private let cardTime = CardTime()
  private let hasVisited = WaitableState(false)

  /// Provisions the card with keys for a number of visits.
  init(of image: CardImage, over meeting: TapConnection, count: Int) async throws {
    self.meeting = meeting
    var side = CardPresentation(wallet: try await ProvisionedWallet(card: image, leastUses: count).wallet)
    // One visit may repeat its commands for a long time, also after the payment.
    side.terms.limits.emulation = .seconds(86_400)
    side.terms.limits.verificationValidity = .seconds(86_400)
    side.terms.limits.linger = .seconds(86_400)
    self.side = side
  }

  /// How the time of the card is found.
  var timing: CardTiming { if case .direct = meeting { .wholeExchange } else { .measured(cardTime) } }

  /// Verifies the cardholder, arms the card, and makes a visit to it.
  func run(_ visit: BenchmarkVisit) async throws -> BenchmarkVisit {
    switch meeting {
    case .direct: return try await runDirectly(visit)
    case .loopback:
      let loopback = Loopback()
      return try await run(visit, on: loopback) { (visit) throws(LinkError) in
        var channel = try loopback.connect(timeout: .seconds(5))
        defer { channel.close() }
        visit.visit(&channel)
      }
    case .reader(_, let link, let field, let absence):
      if hasVisited.update({ exchange(&$0, with: true) }) { try await Task.sleep(for: absence) }
      return try await run(visit, on: link()) { (visit) throws(LinkError) in
        var field = try field()
        try field.nextCard(after: .zero, timeout: .seconds(20), &visit)
      }
    }
  }

  private func runDirectly(_ visit: BenchmarkVisit) async throws -> BenchmarkVisit {
    let link = DirectVisit(visit)
    return try await side.present(on: link) {
      guard let ended = await link.ended else {
        throw LinkError(.stopped, "the session ended before the terminal saw the card")
      }
      return ended
    }
  }

  /// The card answers on the thread of its session, and the terminal visits it on another one.
  private func run(
    _ visit: BenchmarkVisit, on link: any EmulationLink,
    _ meet: @escaping @Sendable (inout BenchmarkVisit) throws(LinkError) -> Void
  ) async throws -> BenchmarkVisit {
    try await side.present(on: TimedLink(link, time: cardTime)) {
      try await DedicatedThread(named: "terminal") { () throws(LinkError) -> BenchmarkVisit in
        var visit = visit
        try meet(&visit)
        return visit
      }.value()
    }
  }
}

import ContactlessPayment
import EMVCard
import EMVTerminal
import Links
import Octets
import PaymentAcceptance

/// Taps with card and terminal in this process, each on its own thread.
struct LoopbackTap: Sendable {
  private let side: CardSide

  /// Provisions a card.
  ///
  /// - Parameter leastUses: How many taps it must be good for.
  init(image: CardImage, leastUses: Int = 1) async throws {
    side = CardSide(wallet: try await ProvisionedWallet(card: image, leastUses: leastUses).wallet)
  }

  /// Verifies the holder, presents the card, takes the payment and ends the session.
  ///
  /// - Parameter faults: What the card does wrong, and how that is told; nothing when left out.
  /// - Returns: What came of it, and how long verification and arming took.
  func run(
    _ request: PaymentRequest, at terminal: PaymentAcceptance,
    faults: (plan: FaultPlan, format: OutputFormat)? = nil
  ) async throws -> (result: PaymentResult, arming: Duration) {
    let clock = SystemClock()
    let begun = clock.now
    let loopback = Loopback()
    let session: ContactlessPaymentSession
    if let faults {
      session = try await side.present(on: FaultyLink(loopback, plan: faults.plan, format: faults.format))
    } else {
      session = try await side.present(on: loopback)
    }
    let arming = clock.now - begun
    let tap = DedicatedThread(named: "terminal") { () throws(LinkError) -> PaymentResult in
      var channel = try loopback.connect(timeout: .seconds(5))
      defer { channel.close() }
      return terminal.result(of: request, over: &channel)
    }
    do {
      let result = try await tap.value()
      await end(session)
      return (result, arming)
    } catch {
      await end(session)
      throw error
    }
  }

  /// Presents a card that nobody verified, which can only refuse, and takes the payment.
  static func refusal(
    by image: CardImage, of request: PaymentRequest, at terminal: PaymentAcceptance
  ) async throws -> PaymentResult {
    let loopback = Loopback()
    let card = DedicatedThread(named: "card") { () throws(LinkError) in
      let shown = DigitalCard(id: image.name, image: image, state: .active, isDefault: true)
      var card = RefusingCard(shown, link: loopback)
      try loopback.serve(&card)
    }
    let tap = DedicatedThread(named: "terminal") { () throws(LinkError) -> PaymentResult in
      defer { loopback.stop() }
      var channel = try loopback.connect(timeout: .seconds(5))
      defer { channel.close() }
      return terminal.result(of: request, over: &channel)
    }
    let result = try await tap.value()
    try await card.value()
    return result
  }

  private func end(_ session: ContactlessPaymentSession) async {
    await session.cancel()
    await session.finished()
  }
}
